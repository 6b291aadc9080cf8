#include "kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "stoker/error.h"

namespace stoker::cpu {
namespace {

struct Implementation {
  const char* name;
  Rank rank;
  Planner planner;
};

std::map<std::string, std::vector<Implementation>, std::less<>>& registry() {
  static std::map<std::string, std::vector<Implementation>, std::less<>> implementations;
  return implementations;
}

TensorType type_of(const StokerTensor& tensor) {
  return {static_cast<DType>(tensor.dtype),
          Shape(std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank))};
}

// An op's own, from the fastest, then those that serve any op. Empty for an unknown op.
std::vector<Implementation> implementations_of(const std::string& op) {
  const auto found = registry().find(op);
  if (found == registry().end()) return {};
  std::vector<Implementation> all = found->second;
  const auto& general = registry()[any_op];
  all.insert(all.end(), general.begin(), general.end());
  return all;
}

// STOKER_CPU_IMPLEMENTATION=reference leaves the plainest kernels: is a wrong number theirs?
bool only_plainest() {
  const char* wanted = std::getenv("STOKER_CPU_IMPLEMENTATION");
  return wanted && std::string_view(wanted) == "reference";
}

}  // namespace

NodeView::NodeView(const StokerNode& node) : op(node.op), node_(node) {
  for (int i = 0; i < node.num_inputs; ++i) in.push_back(type_of(node.inputs[i]));
  for (int i = 0; i < node.num_outputs; ++i) out.push_back(type_of(node.outputs[i]));
}

const StokerAttr* NodeView::find(std::string_view name) const {
  for (int i = 0; i < node_.num_attrs; ++i)
    if (name == node_.attrs[i].name) return &node_.attrs[i];
  return nullptr;
}

int64_t NodeView::integer(std::string_view name, int64_t fallback) const {
  const StokerAttr* attr = find(name);
  return attr && attr->kind == stoker_int ? attr->i : fallback;
}
double NodeView::number(std::string_view name, double fallback) const {
  const StokerAttr* attr = find(name);
  return attr && attr->kind == stoker_float ? attr->f : fallback;
}
std::string NodeView::text(std::string_view name) const {
  const StokerAttr* attr = find(name);
  return attr && attr->kind == stoker_string ? attr->s : "";
}
std::vector<int64_t> NodeView::integers(std::string_view name) const {
  const StokerAttr* attr = find(name);
  return attr && attr->kind == stoker_ints
             ? std::vector<int64_t>(attr->ints, attr->ints + attr->count)
             : std::vector<int64_t>{};
}
bool NodeView::all_are(DType dtype) const {
  const auto same = [&](const TensorType& type) { return type.dtype == dtype; };
  return std::all_of(in.begin(), in.end(), same) && std::all_of(out.begin(), out.end(), same);
}

RegisterKernel::RegisterKernel(const char* op, const char* implementation, Rank rank,
                               Planner planner) {
  auto& list = registry()[op];
  list.push_back({implementation, rank, planner});
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.rank < b.rank; });
}

std::unique_ptr<Kernel> plan(const NodeView& node) {
  const auto all = implementations_of(node.op);
  if (all.empty()) throw Unsupported("there is no kernel for it.");
  std::string refusals;
  const Rank fastest = only_plainest() ? registry()[node.op].back().rank : specialised;
  for (const Implementation& implementation : all) {
    if (implementation.rank < fastest) continue;
    std::string refusal;
    if (auto kernel = implementation.planner(node, refusal)) {
      kernel->implementation = implementation.name;
      return kernel;
    }
    if (!refusal.empty())
      refusals +=
          fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", implementation.name, refusal);
  }
  throw Unsupported(refusals + ".");
}

std::vector<std::unique_ptr<Kernel>> plan_all(const NodeView& node) {
  std::vector<std::unique_ptr<Kernel>> kernels;
  for (const Implementation& implementation : implementations_of(node.op)) {
    std::string refusal;
    if (auto kernel = implementation.planner(node, refusal)) {
      kernel->implementation = implementation.name;
      kernels.push_back(std::move(kernel));
    }
  }
  return kernels;
}

}  // namespace stoker::cpu
