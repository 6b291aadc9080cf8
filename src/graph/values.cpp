#include "graph/values.h"

#include <numeric>

namespace stoker::graph {

std::vector<ValueId> view_roots(const Graph& graph) {
  std::vector<ValueId> roots(graph.values.size());
  std::iota(roots.begin(), roots.end(), 0);
  for (const Node& node : graph.nodes)
    if (node.op->view) roots[index_of(node.outputs[0])] = roots[index_of(node.inputs[0])];
  return roots;
}

std::vector<std::vector<int32_t>> readers_of_values(const Graph& graph) {
  std::vector<std::vector<int32_t>> readers(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (ValueId v : graph.nodes[n].inputs) readers[index_of(v)].push_back(static_cast<int32_t>(n));
  return readers;
}

std::vector<std::vector<int32_t>> readers_of_nodes(const Graph& graph) {
  std::vector<std::vector<int32_t>> readers(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (ValueId v : graph.nodes[n].inputs)
      if (const auto& value = graph.value(v); value.origin == Origin::node)
        readers[index_of(value.index)].push_back(static_cast<int32_t>(n));
  return readers;
}

}  // namespace stoker::graph
