#include "nn/saving/optimizer_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace stoker::nn {
namespace {

using Kind = SavedVariable::Kind;
using Layout = std::vector<SavedVariable>;

constexpr const char* optimizer_path = "optimizer";
constexpr const char* inner_path = "optimizer/inner_optimizer";

Layout without(Layout layout, const std::set<Kind>& kinds) {
  std::erase_if(layout, [&](const SavedVariable& v) { return kinds.contains(v.kind); });
  return layout;
}

std::string slot_name(const SavedVariable& slot) {
  const std::string name = slot.variable.name();
  return name.substr(name.rfind('/') + 1);
}

// Groups slots by name, in the order in which the names first appear.
Layout sorted_by_slot(Layout layout) {
  std::vector<std::string> names;
  for (const SavedVariable& v : layout)
    if (std::ranges::find(names, slot_name(v)) == names.end()) names.push_back(slot_name(v));
  std::ranges::stable_sort(layout, {}, [&](const SavedVariable& v) {
    return std::ranges::find(names, slot_name(v)) - names.begin();
  });
  return layout;
}

// The variables that a file may contain for an optimizer that has taken steps.
std::vector<Layout> layouts_with_steps(const Optimizer& optimizer, SlotOrder order) {
  const Layout all = optimizer.saved_variables();
  std::vector<Layout> layouts{all};
  if (const Layout inside = without(all, {Kind::attribute}); inside.size() < all.size())
    layouts.push_back(inside);
  if (optimizer.inner_optimizer()) return layouts;  // Keras 3 cannot read those that Keras 2 wrote
  const Layout keras2 = without(all, {Kind::attribute, Kind::learning_rate});
  layouts.push_back(order == SlotOrder::by_slot ? sorted_by_slot(keras2) : keras2);
  return layouts;
}

// The same before the first step.
Layout layout_before_steps(const Optimizer& optimizer) {
  return without(optimizer.saved_variables(),
                 {Kind::step_counter, Kind::loss_scale, Kind::slot, Kind::attribute});
}

bool is_count(const Array& array) { return is_integer(array.dtype()) && array.at(0) >= 0; }
bool is_number(const Array& array) {
  return is_floating(array.dtype()) && std::isfinite(array.at(0));
}

bool has_meaning(Kind kind, const Array& array, const Variable& variable) {
  switch (kind) {
    case Kind::iteration:
    case Kind::step_counter:
      return is_count(array);
    case Kind::learning_rate:
      return is_number(array);
    case Kind::loss_scale:
      return is_number(array) && array.at(0) > 0;
    case Kind::slot:
    case Kind::attribute:
      return is_floating(array.dtype()) == is_floating(variable.dtype());
  }
  return false;
}

std::string value_text(const Array& array) {
  return array.size() == 1 ? fmt::format("{}", array.at(0)) : fmt::format("{}", array.shape());
}

// Why the arrays do not match the layout; empty if they do.
std::string mismatch(const Layout& layout, const std::vector<Array>& stored) {
  for (size_t i = 0; i < layout.size(); ++i) {
    const auto& [variable, kind] = layout[i];
    if (stored[i].shape() != variable.shape())
      return fmt::format("\"{}\" has shape {}, in the file {}", variable.name(), variable.shape(),
                         stored[i].shape());
    if (!has_meaning(kind, stored[i], variable))
      return fmt::format("\"{}\" cannot be {} {}", variable.name(), name_of(stored[i].dtype()),
                         value_text(stored[i]));
  }
  return "";
}

bool counts_no_step(const Layout& layout, const std::vector<Array>& stored) {
  for (size_t i = 0; i < layout.size(); ++i)
    if (layout[i].kind == Kind::iteration && stored[i].at(0) != 0) return false;
  return true;
}

bool is_before_steps(const Optimizer& optimizer, const std::vector<Array>& stored) {
  const Layout all = layout_before_steps(optimizer);
  for (const Layout& layout : {all, without(all, {Kind::learning_rate})})
    if (layout.size() == stored.size() && mismatch(layout, stored).empty())
      return counts_no_step(layout, stored);
  return stored.empty();
}

// Keras 2 stores a momentum for each weight even if an SGD has no momentum.
bool has_unused_momenta(const Optimizer& optimizer, const std::vector<Variable>& weights,
                        const std::vector<Array>& stored) {
  const Layout own = optimizer.saved_variables();
  const bool slots =
      std::ranges::any_of(own, [](const SavedVariable& v) { return v.kind == Kind::slot; });
  if (slots || optimizer.class_name() != "SGD" || stored.size() != weights.size() + 1) return false;
  Layout keras2{own[0]};
  for (const Variable& weight : weights) keras2.push_back({weight, Kind::slot});
  return mismatch(keras2, stored).empty();
}

void set(Optimizer& optimizer, const Layout& layout, const std::vector<Array>& stored) {
  for (size_t i = 0; i < layout.size(); ++i) layout[i].variable.set(stored[i]);
  const bool complete =
      std::ranges::any_of(layout, [](const SavedVariable& v) { return v.kind == Kind::attribute; });
  if (!complete) optimizer.restore_attributes();
}

SavedGroup group_of(const Optimizer& optimizer, const std::string& path, const Layout& layout) {
  SavedGroup group{path, optimizer.name(), {}};
  for (const SavedVariable& v : layout) group.variables.push_back(v.variable);
  return group;
}

}  // namespace

std::vector<SavedGroup> optimizer_groups(const Optimizer& optimizer) {
  std::vector<SavedGroup> groups{group_of(optimizer, optimizer_path, optimizer.saved_variables())};
  if (const Optimizer* inner = optimizer.inner_optimizer())
    groups.push_back(
        group_of(*inner, inner_path, without(inner->saved_variables(), {Kind::attribute})));
  return groups;
}

std::string restore_state(Optimizer& optimizer, const std::vector<Variable>& weights,
                          const std::vector<Array>& stored, SlotOrder order) {
  std::string problem;
  std::set<size_t> counts;
  for (const Layout& layout : layouts_with_steps(optimizer, order)) {
    counts.insert(layout.size());
    if (layout.size() != stored.size()) continue;
    problem = mismatch(layout, stored);
    if (!problem.empty()) continue;
    set(optimizer, layout, stored);
    return "";
  }
  if (is_before_steps(optimizer, stored)) return "";
  if (has_unused_momenta(optimizer, weights, stored)) {
    optimizer.saved_variables()[0].variable.set(stored[0]);
    return "";
  }
  if (!problem.empty()) return problem;
  return fmt::format("the file has {} variables of it instead of {}", stored.size(),
                     fmt::join(counts, " or "));
}

std::string restore_state(Optimizer& optimizer, const std::vector<Variable>& weights,
                          const H5Group& root) {
  const H5Group* group = root.find_group(std::string(optimizer_path) + "/vars");
  if (!group) return "";
  std::vector<Array> stored;
  for (size_t i = 0; i < group->datasets.size(); ++i) {
    const auto at = group->datasets.find(std::to_string(i));
    if (at == group->datasets.end() || at->second.value.is_text())
      return fmt::format("the file has no numbers as variable {} of {}", i, group->datasets.size());
    stored.push_back(at->second.value.numbers);
  }
  return restore_state(optimizer, weights, stored);
}

std::optional<bool> scaled_loss(const H5Group& root) {
  if (!root.find_group(optimizer_path)) return std::nullopt;
  return root.find_group(inner_path) != nullptr;
}

}  // namespace stoker::nn
