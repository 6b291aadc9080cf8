#include "graph/passes/backward.h"

#include <algorithm>

namespace stoker::graph {

bool is_backward(const Node& node) { return node.scope.ends_with("grad"); }

std::vector<bool> find_forward(const Graph& graph) {
  const auto first = std::find_if(graph.nodes.begin(), graph.nodes.end(), is_backward);
  std::vector<bool> forward(graph.nodes.size(), false);
  if (first != graph.nodes.end()) std::fill_n(forward.begin(), first - graph.nodes.begin(), true);
  return forward;
}

std::vector<bool> find_gradient_flow(const Graph& graph) {
  std::vector<bool> flows(graph.nodes.size(), false);
  bool begun = false;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (!is_backward(node)) continue;
    flows[n] = !begun || std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
      const Value& value = graph.value(v);
      return value.origin == Origin::node && flows[static_cast<size_t>(value.index)];
    });
    begun = true;
  }
  return flows;
}

}  // namespace stoker::graph
