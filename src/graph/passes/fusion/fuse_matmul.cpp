#include <set>

#include "graph/passes/match.h"

// Epilogue fusion: a matrix product is fused with the bias and relu that follow it, and a weight
// gradient with the Adam update that consumes it, so that neither intermediate is written.
namespace stoker::graph {
namespace {

class MatmulFuser : public NodeFuser {
 public:
  using NodeFuser::NodeFuser;

 private:
  bool fuse(const Node& node) override {
    const std::string& op = node.op->name;
    if (op == "add") return fuse_bias(node, node.outputs[0], "");
    if (op == "relu") {
      const Node* add = matcher_.sole(matcher_.behind_reshape(node.inputs[0]), "add");
      return add && fuse_bias(*add, node.outputs[0], "relu");
    }
    if (op == "relu_grad") return fuse_mask(node);
    return op == "adam_update" && fuse_adam(node);
  }

  bool fuse_bias(const Node& add, ValueId result, const char* activation) {
    const BiasAdd match = match_bias_add(graph_, matcher_, add, "matmul");
    if (!match.producer) return false;
    Attrs attrs = match.producer->attrs;
    attrs.set("bias", int64_t{1});
    if (*activation) attrs.set("activation", std::string(activation));
    return replace(*match.producer, {match.bias}, std::move(attrs), result);
  }

  // relu_grad(a·b, y) is a·b where y > 0.
  bool fuse_mask(const Node& node) {
    const ValueId product = matcher_.behind_reshape(node.inputs[0]);
    const Node* matmul = matcher_.sole(product, "matmul");
    if (!matmul || graph_.type(node.inputs[0]) != graph_.type(node.inputs[1])) return false;
    ValueId mask = rewriter_.map(node.inputs[1]);
    const Shape& shape = graph_.type(product).shape;
    if (graph_.type(node.inputs[1]).shape != shape)
      mask = rewriter_.graph().add_node(find_op("reshape"), {mask}, {{"shape", shape.dims()}})[0];
    Attrs attrs = matmul->attrs;
    attrs.set("mask", int64_t{1});
    auto inputs = rewriter_.map(matmul->inputs);
    inputs.push_back(mask);
    return add("fused_matmul", std::move(inputs), std::move(attrs), node.outputs[0], matmul->scope);
  }

  bool fuse_adam(const Node& node) {
    if (done_.contains(&node)) return true;
    const Node* matmul = matcher_.sole(before_widening(node.inputs[3]), "matmul");
    if (!matmul) return false;
    Attrs attrs = matmul->attrs;
    for (const auto& [name, value] : node.attrs) attrs.set(name, value);
    auto inputs = rewriter_.map(matmul->inputs);
    for (size_t i : {0u, 1u, 2u, 4u}) inputs.push_back(rewriter_.map(node.inputs[i]));
    if (fuse_adam_of_both(node, *matmul, inputs, attrs)) return true;
    const auto outputs = try_add(rewriter_, accepts_, "matmul_adam", std::move(inputs),
                                 std::move(attrs), matmul->scope);
    for (size_t i = 0; i < outputs.size(); ++i) rewriter_.set(node.outputs[i], outputs[i]);
    return !outputs.empty();
  }

  // A dense layer's bias is updated along with the weight: its gradient is the sum of the rows that
  // the weight's gradient reads.
  bool fuse_adam_of_both(const Node& node, const Node& matmul, std::vector<ValueId> inputs,
                         const Attrs& attrs) {
    const Node* bias = bias_step(node, matmul);
    if (!bias) return false;
    for (size_t i : {0u, 1u, 2u}) inputs.push_back(rewriter_.map(bias->inputs[i]));
    const auto outputs =
        try_add(rewriter_, accepts_, "matmul_adam_bias", std::move(inputs), attrs, matmul.scope);
    if (outputs.empty()) return false;
    for (size_t i = 0; i < 3; ++i) {
      rewriter_.set(node.outputs[i], outputs[i]);
      rewriter_.set(bias->outputs[i], outputs[i + 3]);
    }
    done_.insert(bias);
    return true;
  }

  // The adam_update, with the same parameters, of the column sums of matmul's right operand.
  const Node* bias_step(const Node& node, const Node& matmul) const {
    if (matmul.attrs.flag("transpose_b")) return nullptr;
    for (const Node& other : graph_.nodes) {
      if (other.op->name != "adam_update" || &other == &node || done_.contains(&other)) continue;
      const Node* sum = matcher_.sole(before_widening(other.inputs[3]), "reduce_sum");
      const bool fits = sum && sum->inputs[0] == matmul.inputs[1] &&
                        sum->attrs.integers("axis") == std::vector<int64_t>{0} &&
                        !sum->attrs.flag("keepdims") && other.attrs == node.attrs &&
                        other.inputs[4] == node.inputs[4];
      const bool ready = fits && rewriter_.map(other.inputs[0]) != no_value &&
                         rewriter_.map(other.inputs[1]) != no_value &&
                         rewriter_.map(other.inputs[2]) != no_value;
      if (ready && rewriter_.map(other.outputs[0]) == no_value) return &other;
    }
    return nullptr;
  }

  // Mixed precision casts a float16 or bfloat16 gradient to float32 before the update, which can do
  // that itself.
  ValueId before_widening(ValueId v) const {
    const Node* cast = matcher_.sole(v, "cast");
    return cast && size_of(graph_.type(cast->inputs[0]).dtype) == 2 &&
                   graph_.type(v).dtype == DType::float32
               ? cast->inputs[0]
               : v;
  }

  bool replace(const Node& matmul, std::vector<ValueId> more, Attrs attrs, ValueId result) {
    auto inputs = rewriter_.map(matmul.inputs);
    for (ValueId v : more) inputs.push_back(rewriter_.map(v));
    return add("fused_matmul", std::move(inputs), std::move(attrs), result, matmul.scope);
  }

  bool add(const char* op, std::vector<ValueId> inputs, Attrs attrs, ValueId result,
           const std::string& scope) {
    const auto outputs =
        try_add(rewriter_, accepts_, op, std::move(inputs), std::move(attrs), scope);
    if (!outputs.empty()) stand_in(rewriter_, graph_, result, outputs[0]);
    return !outputs.empty();
  }

  std::set<const Node*> done_;  // updates that were fused into another one
};

const RegisterPass registered{{"fuse_matmul", [](const Graph& graph, const Accepts& accepts) {
                                 return MatmulFuser(graph, accepts).run();
                               }}};

}  // namespace
}  // namespace stoker::graph
