#include "graph/passes/fusion/clusters.h"
#include "graph/rewrite.h"

// Small all-reduces are merged into one: a message has a latency even for one number. Large ones
// start as soon as their input is ready, so that its memory can be reused.
namespace stoker::graph {
namespace {

constexpr double small_bytes = 64 << 10;

bool is_small(const Graph& graph, const Node& node) {
  return node.op->name == "all_reduce" && bytes_of(graph.types(node.inputs)) < small_bytes;
}

Clusters merged(const Graph& graph) {
  Clusters clusters(graph);
  std::vector<int32_t> groups;  // a later one depends on an earlier one
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!is_small(graph, graph.nodes[n])) continue;
    const auto at = static_cast<int32_t>(n);
    bool found = false;
    for (size_t g = groups.size(); g-- > 0 && !found;)
      if (clusters.can_merge(clusters.of(groups[g]), at)) {
        clusters.merge(clusters.of(groups[g]), at);
        found = true;
      }
    if (!found) groups.push_back(at);
  }
  return clusters;
}

// All members have the same table of collectives, and gradients are taken before passes run.
void emit_together(Rewriter& rewriter, const Graph& graph, const std::vector<int32_t>& members) {
  std::vector<ValueId> inputs, outputs;
  for (const int32_t n : members) {
    const Node& node = graph.nodes[static_cast<size_t>(n)];
    for (const ValueId v : node.inputs) inputs.push_back(rewriter.map(v));
    outputs.insert(outputs.end(), node.outputs.begin(), node.outputs.end());
  }
  const Node& first = graph.nodes[static_cast<size_t>(members[0])];
  rewriter.replace(outputs, *first.op, std::move(inputs), first.attrs, "all ranks");
}

Graph merge(const Graph& graph, const Accepts&) {
  bool any = false;
  for (const Node& node : graph.nodes) any = any || is_small(graph, node);
  if (!any) return graph;
  const Clusters clusters = merged(graph);
  Rewriter rewriter(graph);
  for (const int32_t cluster : clusters.order())
    if (const auto& members = clusters.members(cluster); members.size() > 1)
      emit_together(rewriter, graph, members);
    else
      rewriter.keep(graph.nodes[static_cast<size_t>(members[0])]);
  return rewriter.finish();
}

const RegisterPass registered{{"merge_all_reduces", merge}};

}  // namespace
}  // namespace stoker::graph
