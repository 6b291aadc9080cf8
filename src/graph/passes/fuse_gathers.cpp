#include <map>

#include "graph/passes/clusters.h"
#include "graph/passes/match.h"

// Rows of several tables taken by the same indices, such as samples and their labels, are fetched
// by one node.
namespace stoker::graph {
namespace {

constexpr size_t most_tables = 8;

// Whether the members became one node.
bool emit(Rewriter& rewriter, const Graph& graph, const std::vector<int32_t>& members,
          const Accepts& accepts) {
  const auto node = [&](int32_t n) -> const Node& { return graph.nodes[static_cast<size_t>(n)]; };
  std::vector<ValueId> made;
  if (members.size() > 1) {
    std::vector<ValueId> inputs;
    for (int32_t n : members) inputs.push_back(rewriter.map(node(n).inputs[0]));
    inputs.push_back(rewriter.map(node(members[0]).inputs[1]));
    made = try_add(rewriter, accepts, "gather_many", std::move(inputs), {}, node(members[0]).scope);
  }
  for (size_t i = 0; i < members.size(); ++i) {
    if (made.empty())
      rewriter.keep(node(members[i]));
    else
      rewriter.set(node(members[i]).outputs[0], made[i]);
  }
  return !made.empty();
}

Graph fuse(const Graph& graph, const Accepts& accepts) {
  Clusters clusters(graph);
  std::map<ValueId, int32_t> first;  // by the indices
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].op->name != "gather") continue;
    const auto at = static_cast<int32_t>(n);
    const int32_t group =
        clusters.of(first.try_emplace(graph.nodes[n].inputs[1], at).first->second);
    if (group != at && clusters.members(group).size() < most_tables &&
        clusters.can_merge(group, at))
      clusters.merge(group, at);
  }
  Rewriter rewriter(graph);
  bool fused = false;
  for (int32_t cluster : clusters.order())
    fused |= emit(rewriter, graph, clusters.members(cluster), accepts);
  return fused ? rewriter.finish() : graph;  // else the nodes stay in their order
}

const RegisterPass pass{{"fuse_gathers", 46, fuse}};

}  // namespace
}  // namespace stoker::graph
