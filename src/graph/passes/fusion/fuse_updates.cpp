#include <algorithm>
#include <map>
#include <string>

#include "graph/passes/fusion/clusters.h"
#include "graph/passes/match.h"

// The Adam updates of a model's small weights become one node. If a gradient is a sum over the
// samples, as a bias's is, that node computes the sum, too.
namespace stoker::graph {
namespace {

constexpr size_t most_weights = 48;
// Gradients must wait for the common node, so only small ones may: the memory of large ones should
// be reused.
constexpr int64_t most_bytes = 1 << 20, most_summed_bytes = 4 << 20;

class UpdateFuser {
 public:
  UpdateFuser(const Graph& graph, const Accepts& accepts)
      : graph_(graph), accepts_(accepts), matcher_(graph), clusters_(graph) {}

  Graph run() {
    std::map<std::string, int32_t> groups;  // by step size and arguments
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (node.op->name != "adam_update" || node.inputs.size() != 5) continue;
      const TensorType& weight = graph_.type(node.inputs[0]);
      if (weight.shape.size() == 0 || weight.bytes() > most_bytes) continue;
      join(groups, static_cast<int32_t>(n));
    }
    Rewriter rewriter(graph_);
    for (int32_t cluster : clusters_.order()) emit(rewriter, clusters_.members(cluster));
    return rewriter.finish();
  }

 private:
  const Node& node(int32_t n) const { return graph_.nodes[static_cast<size_t>(n)]; }

  static std::string key_of(const Graph& graph, const Node& node) {
    return std::to_string(node.inputs[4]) + std::string(name_of(graph.type(node.inputs[0]).dtype)) +
           node.attrs.to_string();
  }

  void join(std::map<std::string, int32_t>& groups, int32_t n) {
    const auto [place, fresh] = groups.try_emplace(key_of(graph_, node(n)), n);
    if (fresh) return;
    const int32_t group = clusters_.of(place->second);
    if (updates_in(group) < most_weights && clusters_.can_merge(group, n))
      clusters_.merge(group, n);
    else
      place->second = n;
  }

  size_t updates_in(int32_t cluster) const { return clusters_.members(cluster).size(); }

  // The operand, if the gradient is its sum over the first axes.
  ValueId summed_by(ValueId gradient) const {
    const ValueId sum = matcher_.behind_reshape(gradient);
    const Node* reduce = matcher_.sole(sum, "reduce_sum");
    if (!reduce) return no_value;
    std::vector<int64_t> axes = reduce->attrs.integers("axis");
    std::sort(axes.begin(), axes.end());
    const Shape& shape = graph_.type(reduce->inputs[0]).shape;
    for (size_t i = 0; i < axes.size(); ++i)
      if (axes[i] != static_cast<int64_t>(i)) return no_value;
    const bool leading = !axes.empty() && static_cast<int>(axes.size()) < shape.rank();
    const int64_t bytes = graph_.type(reduce->inputs[0]).bytes();
    return leading && bytes > 0 && bytes <= most_summed_bytes ? reduce->inputs[0] : no_value;
  }

  std::vector<ValueId> inputs_of(const Rewriter& rewriter,
                                 const std::vector<int32_t>& members) const {
    std::vector<ValueId> inputs;
    for (int32_t n : members) {
      for (size_t i = 0; i < 3; ++i) inputs.push_back(rewriter.map(node(n).inputs[i]));
      const ValueId source = summed_by(node(n).inputs[3]);
      inputs.push_back(rewriter.map(source == no_value ? node(n).inputs[3] : source));
    }
    inputs.push_back(rewriter.map(node(members[0]).inputs[4]));
    return inputs;
  }

  void emit(Rewriter& rewriter, const std::vector<int32_t>& members) const {
    const bool is_update = node(members[0]).op->name == "adam_update";
    const bool gains = members.size() > 1 || (is_update && node(members[0]).inputs.size() == 5 &&
                                              summed_by(node(members[0]).inputs[3]) != no_value);
    std::vector<ValueId> made;
    if (gains)
      made = try_add(rewriter, accepts_, "adam_update_many", inputs_of(rewriter, members),
                     node(members[0]).attrs, node(members[0]).scope);
    for (size_t i = 0; i < members.size(); ++i) {
      if (made.empty())
        rewriter.keep(node(members[i]));
      else
        for (size_t o = 0; o < 3; ++o) rewriter.set(node(members[i]).outputs[o], made[3 * i + o]);
    }
  }

  const Graph& graph_;
  const Accepts& accepts_;
  Matcher matcher_;
  Clusters clusters_;
};

const RegisterPass registered{{"fuse_updates", [](const Graph& graph, const Accepts& accepts) {
                                 return UpdateFuser(graph, accepts).run();
                               }}};

}  // namespace
}  // namespace stoker::graph
