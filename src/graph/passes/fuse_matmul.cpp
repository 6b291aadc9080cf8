#include "graph/passes/match.h"

// A product takes over the bias and relu that follow it, and a weight gradient the Adam step that
// consumes it, so that neither is ever written.
namespace stoker::graph {
namespace {

class MatmulFuser {
 public:
  MatmulFuser(const Graph& graph, const Accepts& accepts)
      : graph_(graph), accepts_(accepts), matcher_(graph), rewriter_(graph) {}

  Graph run() {
    for (const Node& node : graph_.nodes)
      if (!fuse(node)) rewriter_.keep(node);
    return rewriter_.finish();
  }

 private:
  bool fuse(const Node& node) {
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
    const Node* matmul = matcher_.sole(node.inputs[3], "matmul");
    if (!matmul) return false;
    Attrs attrs = matmul->attrs;
    for (const auto& [name, value] : node.attrs) attrs.set(name, value);
    auto inputs = rewriter_.map(matmul->inputs);
    for (size_t i : {0u, 1u, 2u, 4u}) inputs.push_back(rewriter_.map(node.inputs[i]));
    const auto outputs = try_add(rewriter_, accepts_, "matmul_adam", std::move(inputs),
                                 std::move(attrs), matmul->scope);
    for (size_t i = 0; i < outputs.size(); ++i) rewriter_.set(node.outputs[i], outputs[i]);
    return !outputs.empty();
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

  const Graph& graph_;
  const Accepts& accepts_;
  Matcher matcher_;
  Rewriter rewriter_;
};

const RegisterPass pass{{"fuse_matmul", 30, [](const Graph& graph, const Accepts& accepts) {
                           return MatmulFuser(graph, accepts).run();
                         }}};

}  // namespace
}  // namespace stoker::graph
