#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/node_view.h"
#include "stoker/error.h"

namespace stoker {

enum Rank { specialised = 0, optimised = 1, reference = 2 };  // tried in this order

inline constexpr const char* any_op = "*";  // asked after an op's own implementations

// The kernels that a backend has for each op, in the order in which they are tried. A planner that
// does not support the node returns null and gives the reason in `refusal`; no reason means that it
// was never meant for such nodes.
template <class Kernel>
class Implementations {
 public:
  using Planner = std::unique_ptr<Kernel> (*)(const NodeView& node, std::string& refusal);

  // If the variable `environment` is set to "reference", only an op's reference rank is used.
  explicit Implementations(const char* environment) : environment_(environment) {}

  // Implementations of equal rank are tried in alphabetical order. Throws Internal if the name is
  // already registered, with both places.
  void add(const char* op, const char* name, Rank rank, Planner planner,
           std::source_location place) {
    auto& list = lists_[op];
    for (const Entry& other : list)
      if (std::string_view(other.name) == name)
        throw Internal(fmt::format("op \"{}\" has two implementations \"{}\": {}:{} and {}:{}.", op,
                                   name, other.place.file_name(), other.place.line(),
                                   place.file_name(), place.line()));
    list.push_back({name, rank, planner, place});
    std::ranges::sort(list, [](const Entry& a, const Entry& b) {
      return std::pair(a.rank, std::string_view(a.name)) <
             std::pair(b.rank, std::string_view(b.name));
    });
  }

  // The first one that accepts the node; throws Unsupported with every refusal.
  std::unique_ptr<Kernel> plan(const NodeView& node) const {
    const auto entries = entries_of(node.op);
    if (entries.empty()) throw Unsupported("there is no kernel for it.");
    std::string refusals;
    const Rank fastest = only_plainest() ? lists_.at(node.op).back().rank : specialised;
    for (const Entry& entry : entries) {
      if (entry.rank < fastest) continue;
      std::string refusal;
      if (auto kernel = plan_entry(entry, node, refusal)) return kernel;
      if (!refusal.empty())
        refusals += (refusals.empty() ? "" : "; ") + std::string(entry.name) + ": " + refusal;
    }
    throw Unsupported(refusals + ".");
  }

  // All that accept the node, for tests that compare them.
  std::vector<std::unique_ptr<Kernel>> plan_all(const NodeView& node) const {
    std::vector<std::unique_ptr<Kernel>> kernels;
    for (const Entry& entry : entries_of(node.op)) {
      std::string refusal;  // of its own: planners read what is in it
      if (auto kernel = plan_entry(entry, node, refusal)) kernels.push_back(std::move(kernel));
    }
    return kernels;
  }

 private:
  struct Entry {
    const char* name;
    Rank rank;
    Planner planner;
    std::source_location place;
  };
  // An op's own implementations, fastest first, then those for any op. Empty for an unknown op.
  std::vector<Entry> entries_of(const std::string& op) const {
    const auto found = lists_.find(op);
    if (found == lists_.end()) return {};
    std::vector<Entry> all = found->second;
    if (const auto general = lists_.find(any_op); general != lists_.end())
      all.insert(all.end(), general->second.begin(), general->second.end());
    return all;
  }
  static std::unique_ptr<Kernel> plan_entry(const Entry& entry, const NodeView& node,
                                            std::string& refusal) {
    auto kernel = entry.planner(node, refusal);
    if (kernel) kernel->implementation = entry.name;
    return kernel;
  }
  bool only_plainest() const {
    const char* wanted = std::getenv(environment_);
    return wanted && std::string_view(wanted) == "reference";
  }
  const char* environment_;
  std::map<std::string, std::vector<Entry>, std::less<>> lists_;
};

}  // namespace stoker
