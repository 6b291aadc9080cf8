#include "graph/passes/match.h"

// Sparse updates of an embedding table: the update takes the gradient's rows and their indices
// instead of a dense gradient, which would be mostly zeros.
namespace stoker::graph {
namespace {

class RowUpdateFuser : public NodeFuser {
 public:
  using NodeFuser::NodeFuser;

 protected:
  bool fuse(const Node& node) override {
    if (node.op->name == "adam_update") return fuse_adam(node);
    return node.op->name == "subtract" && fuse_subtract(node);
  }

 private:
  // The scatter_add that computes this gradient from fewer rows than the table has, else null.
  const Node* scattered(ValueId gradient, ValueId table) const {
    const Node* scatter = matcher_.sole(gradient, "scatter_add");
    if (!scatter || graph_.type(gradient).shape != graph_.type(table).shape) return nullptr;
    const bool few = graph_.type(scatter->inputs[1]).shape.size() < graph_.type(table).shape[0];
    return few ? scatter : nullptr;
  }

  bool fuse_adam(const Node& adam) {
    const Node* scatter = scattered(adam.inputs[3], adam.inputs[0]);
    if (!scatter) return false;
    std::vector<ValueId> inputs = rewriter_.map(adam.inputs);
    inputs[3] = rewriter_.map(scatter->inputs[0]);
    inputs.push_back(rewriter_.map(scatter->inputs[1]));
    const auto made =
        try_add(rewriter_, accepts_, "adam_update_rows", inputs, adam.attrs, adam.scope);
    for (size_t i = 0; i < made.size(); ++i) rewriter_.set(adam.outputs[i], made[i]);
    return !made.empty();
  }

  // table - scatter_add(values) * rate with a scalar rate: SGD's update.
  bool fuse_subtract(const Node& subtract) {
    const Node* product = matcher_.sole(subtract.inputs[1], "multiply");
    if (!product || graph_.type(product->inputs[1]).shape.size() != 1) return false;
    const Node* scatter = scattered(product->inputs[0], subtract.inputs[0]);
    if (!scatter) return false;
    const auto scaled = try_add(
        rewriter_, accepts_, "multiply",
        {rewriter_.map(scatter->inputs[0]), rewriter_.map(product->inputs[1])}, {}, product->scope);
    if (scaled.empty()) return false;
    const auto made =
        try_add(rewriter_, accepts_, "subtract_rows",
                {rewriter_.map(subtract.inputs[0]), scaled[0], rewriter_.map(scatter->inputs[1])},
                {}, subtract.scope);
    if (!made.empty()) rewriter_.set(subtract.outputs[0], made[0]);
    return !made.empty();
  }
};

const RegisterPass registered{{"fuse_row_updates", [](const Graph& graph, const Accepts& accepts) {
                                 return RowUpdateFuser(graph, accepts).run();
                               }}};

}  // namespace
}  // namespace stoker::graph
