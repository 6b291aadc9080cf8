#include <set>

#include "graph/passes/match.h"

// Mixed precision casts every weight to float16 or bfloat16: all these casts become one node, as
// most are of small biases and would take a launch each.
namespace stoker::graph {
namespace {

constexpr size_t most_casts = 24;

class CastFuser : public NodeFuser {
 public:
  using NodeFuser::NodeFuser;

 private:
  bool fuse(const Node& node) override {
    if (made_.contains(&node)) return true;
    if (!is_of_weight(node)) return false;
    std::vector<const Node*> group;
    for (const Node* other = &node; other <= &graph_.nodes.back(); ++other)
      if (is_of_weight(*other) && other->attrs == node.attrs && !made_.contains(other) &&
          group.size() < most_casts)
        group.push_back(other);
    if (group.size() < 2) return false;
    std::vector<ValueId> inputs;
    for (const Node* cast : group) inputs.push_back(rewriter_.map(cast->inputs[0]));
    const auto outputs =
        try_add(rewriter_, accepts_, "cast_many", std::move(inputs), node.attrs, node.scope);
    for (size_t i = 0; i < outputs.size(); ++i) {
      rewriter_.set(group[i]->outputs[0], outputs[i]);
      made_.insert(group[i]);
    }
    return !outputs.empty();
  }

  // A cast of an input or state from float32 to float16 or bfloat16.
  bool is_of_weight(const Node& node) const {
    return node.op->name == "cast" && !graph_.producer(node.inputs[0]) &&
           graph_.type(node.inputs[0]).dtype == DType::float32 &&
           size_of(graph_.type(node.outputs[0]).dtype) == 2 &&
           is_floating(graph_.type(node.outputs[0]).dtype);
  }

  std::set<const Node*> made_;  // casts that were merged into another one
};

const RegisterPass registered{{"fuse_casts", [](const Graph& graph, const Accepts& accepts) {
                                 return CastFuser(graph, accepts).run();
                               }}};

}  // namespace
}  // namespace stoker::graph
