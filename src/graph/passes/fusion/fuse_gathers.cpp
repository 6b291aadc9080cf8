#include <map>
#include <set>

#include "graph/passes/fusion/clusters.h"
#include "graph/passes/match.h"

// Gathers from several tables by the same indices, such as samples and their labels, become one
// node, which outputs float16 or bfloat16 directly if nothing else is needed.
namespace stoker::graph {
namespace {

constexpr size_t most_tables = 8;

class GatherFuser {
 public:
  GatherFuser(const Graph& graph, const Accepts& accepts)
      : graph_(graph), accepts_(accepts), matcher_(graph), clusters_(graph) {
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      if (graph.nodes[n].op->name == "cast")
        cast_of_[graph.nodes[n].inputs[0]] = static_cast<int32_t>(n);
  }

  Graph run() {
    merge();
    Rewriter rewriter(graph_);
    bool fused = false;
    for (int32_t cluster : clusters_.order()) {
      const auto& members = clusters_.members(cluster);
      if (!taken_.contains(members[0])) fused |= emit(rewriter, members);
    }
    return fused ? rewriter.finish() : graph_;  // else the nodes stay in their order
  }

 private:
  const Node& node(int32_t n) const { return graph_.nodes[static_cast<size_t>(n)]; }

  void merge() {
    std::map<std::pair<ValueId, bool>, int32_t> first;  // by the indices and nan_outside
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (graph_.nodes[n].op->name != "gather") continue;
      const auto at = static_cast<int32_t>(n);
      const int32_t group =
          clusters_.of(first.try_emplace({node(at).inputs[1], gives_nan(at)}, at).first->second);
      if (group != at && clusters_.members(group).size() < most_tables &&
          clusters_.can_merge(group, at))
        clusters_.merge(group, at);
    }
  }

  bool gives_nan(int32_t gather) const { return node(gather).attrs.flag("nan_outside"); }

  // The node that casts these rows to float16 or bfloat16 and is the only one to read them, else
  // -1.
  int32_t narrowing(ValueId rows) const {
    const auto cast = cast_of_.find(rows);
    if (cast == cast_of_.end() || !matcher_.is_single_use(rows)) return -1;
    const bool narrows = graph_.type(rows).dtype == DType::float32 &&
                         is_half(graph_.type(node(cast->second).outputs[0]).dtype);
    return narrows ? cast->second : -1;
  }

  // True if the members became one node.
  bool emit(Rewriter& rewriter, const std::vector<int32_t>& members) {
    std::vector<ValueId> made;
    if (members.size() > 1) made = try_many(rewriter, members, true);
    const bool narrow = !made.empty();
    if (members.size() > 1 && !narrow) made = try_many(rewriter, members, false);
    for (size_t i = 0; i < members.size(); ++i) {
      if (made.empty()) {
        rewriter.keep(node(members[i]));
        continue;
      }
      const ValueId rows = node(members[i]).outputs[0];
      const int32_t cast = narrow ? narrowing(rows) : -1;
      rewriter.set(cast < 0 ? rows : node(cast).outputs[0], made[i]);
      if (cast >= 0) taken_.insert(cast);
    }
    return !made.empty();
  }

  std::vector<ValueId> try_many(Rewriter& rewriter, const std::vector<int32_t>& members,
                                bool narrow) const {
    std::vector<ValueId> inputs;
    std::vector<int64_t> dtypes;
    bool narrows = false;
    for (int32_t n : members) {
      const ValueId rows = node(n).outputs[0];
      const int32_t cast = narrow ? narrowing(rows) : -1;
      narrows |= cast >= 0;
      inputs.push_back(rewriter.map(node(n).inputs[0]));
      dtypes.push_back(
          static_cast<int64_t>(graph_.type(cast < 0 ? rows : node(cast).outputs[0]).dtype));
    }
    if (narrow != narrows) return {};
    inputs.push_back(rewriter.map(node(members[0]).inputs[1]));
    Attrs attrs;
    if (narrows) attrs.set("dtypes", dtypes);
    if (gives_nan(members[0])) attrs.set("nan_outside", int64_t{1});
    return try_add(rewriter, accepts_, "gather_many", inputs, attrs, node(members[0]).scope);
  }

  const Graph& graph_;
  const Accepts& accepts_;
  Matcher matcher_;
  Clusters clusters_;
  std::map<ValueId, int32_t> cast_of_;
  std::set<int32_t> taken_;  // casts that were fused with their gather
};

const RegisterPass registered{{"fuse_gathers", [](const Graph& graph, const Accepts& accepts) {
                                 return GatherFuser(graph, accepts).run();
                               }}};

}  // namespace
}  // namespace stoker::graph
