#include "graph/memory_peak.h"

#include <algorithm>

#include "graph/values.h"

namespace stoker::graph {
namespace {

// Including in-place ops such as an optimizer's update, but not if they contain a matrix product.
bool works_by_element(const Graph& graph, const Node& node) {
  const auto elements = static_cast<double>(graph.type(node.outputs[0]).shape.size());
  return node.op->elementwise || node.op->view ||
         (!node.op->in_place.empty() && graph.cost(node).flops < 32 * elements);
}

// The values from which a trained state's update is computed element by element: its gradient, also
// clipped, scaled or summed.
std::vector<bool> find_gradients(const Graph& graph) {
  std::vector<bool> found(graph.values.size(), false);
  std::vector<std::pair<ValueId, int64_t>> open;  // a value and the state's number of elements
  for (const StateUse& use : graph.states)
    if (use.update != no_value && use.state->trainable)
      open.emplace_back(use.update, use.state->type.shape.size());
  while (!open.empty()) {
    const auto [value, elements] = open.back();
    open.pop_back();
    const Node* node = graph.producer(value);
    if (!node || found[index_of(value)] || graph.type(value).shape.size() != elements) continue;
    found[index_of(value)] = true;
    if (works_by_element(graph, *node))
      for (ValueId v : node->inputs) open.emplace_back(v, elements);
  }
  return found;
}

int32_t fullest_node(const Graph& graph, const MemoryPlan& plan) {
  const auto nodes = static_cast<int32_t>(graph.nodes.size());
  std::vector<int64_t> change(graph.nodes.size() + 1, 0);
  for (const Block& block : plan.blocks) {
    change[index_of(block.first)] += block.bytes;
    if (block.last < nodes) change[index_of(block.last) + 1] -= block.bytes;
  }
  int64_t held = 0, most = -1;
  int32_t fullest = 0;
  for (int32_t n = 0; n < nodes; ++n)
    if (held += change[index_of(n)]; held > most) most = held, fullest = n;
  return fullest;
}

// By block: the values stored in it, in order.
std::vector<std::vector<ValueId>> values_of_blocks(const Graph& graph, const MemoryPlan& plan) {
  std::vector<std::vector<ValueId>> held(plan.blocks.size());
  for (size_t v = 0; v < graph.values.size(); ++v)
    if (plan.block_of[v] >= 0) held[index_of(plan.block_of[v])].push_back(static_cast<ValueId>(v));
  for (auto& values : held)
    std::ranges::stable_sort(values, {},
                             [&](ValueId v) { return graph.values[index_of(v)].index; });
  return held;
}

}  // namespace

MemoryPeak find_peak(const Graph& graph, const MemoryPlan& plan) {
  MemoryPeak peak;
  peak.node = fullest_node(graph, plan);
  // the value that is in the block at that time
  std::vector<ValueId> holds(plan.blocks.size(), no_value);
  for (size_t v = 0; v < graph.values.size(); ++v)
    if (plan.block_of[v] >= 0 && graph.values[v].index <= peak.node)
      holds[index_of(plan.block_of[v])] = static_cast<ValueId>(v);
  const auto gradients = find_gradients(graph);
  for (size_t b = 0; b < plan.blocks.size(); ++b) {
    const Block& block = plan.blocks[b];
    if (holds[b] == no_value || block.first > peak.node || block.last < peak.node) continue;
    (gradients[index_of(holds[b])] ? peak.gradients : peak.activations) += block.bytes;
  }
  if (plan.double_buffer > 0) peak.gradients *= 2, peak.activations *= 2;
  peak.workspace = plan.arena_bytes - peak.gradients - peak.activations;
  return peak;
}

std::vector<MemoryPeak> memory_by_node(const Graph& graph, const MemoryPlan& plan) {
  std::vector<MemoryPeak> course(graph.nodes.size());
  for (size_t n = 0; n < course.size(); ++n) course[n].node = static_cast<int32_t>(n);
  const auto gradients = find_gradients(graph);
  const auto held = values_of_blocks(graph, plan);
  const int64_t copies = plan.double_buffer > 0 ? 2 : 1;
  for (size_t b = 0; b < plan.blocks.size(); ++b) {
    const Block& block = plan.blocks[b];
    size_t next = 0;
    int64_t MemoryPeak::*kind = held[b].empty() ? &MemoryPeak::workspace : &MemoryPeak::activations;
    for (size_t n = index_of(block.first); n <= index_of(block.last) && n < course.size(); ++n) {
      for (; next < held[b].size() && graph.value(held[b][next]).index <= static_cast<int32_t>(n);
           ++next)
        kind =
            gradients[index_of(held[b][next])] ? &MemoryPeak::gradients : &MemoryPeak::activations;
      course[n].*kind += copies * block.bytes;
    }
  }
  return course;
}

}  // namespace stoker::graph
