#include "graph/passes/match.h"

// Fuses a convolution with the bias, relu and max-pooling that follow it, its input gradient with
// the mask of the preceding relu, and its weight gradient with the gradient of the pooling: the
// unpooled gradient is never written.
namespace stoker::graph {
namespace {

class Conv2dFuser : public NodeFuser {
 public:
  using NodeFuser::NodeFuser;

 private:
  bool fuse(const Node& node) override {
    const std::string& op = node.op->name;
    if (op == "add") return fuse_bias(node, node, "");
    if (op == "max_pool2d") return fuse_pool(node, node.outputs[0], "");
    if (op == "conv2d_kernel_grad") return fuse_kernel_grad(node);
    if (op == "relu_grad") return fuse_mask(node);
    if (op != "relu") return false;
    if (const Node* add = matcher_.sole(node.inputs[0], "add"))
      return fuse_bias(*add, node, "relu");
    const Node* pool = matcher_.sole(node.inputs[0], "max_pool2d");
    return pool && graph_.value(node.inputs[0]).output == 0 &&
           fuse_pool(*pool, node.outputs[0], "relu");
  }

  static Attrs with_activation(Attrs attrs, const char* activation) {
    if (*activation) attrs.set("activation", std::string(activation));
    return attrs;
  }

  bool fuse_bias(const Node& add, const Node& last, const char* activation) {
    const BiasAdd match = match_bias_add(graph_, matcher_, add, "conv2d");
    if (!match.producer) return false;
    auto inputs = rewriter_.map(match.producer->inputs);
    inputs.push_back(rewriter_.map(match.bias));
    const auto outputs =
        try_add(rewriter_, accepts_, "conv2d_bias", std::move(inputs),
                with_activation(match.producer->attrs, activation), match.producer->scope);
    if (!outputs.empty()) stand_in(rewriter_, graph_, last.outputs[0], outputs[0]);
    return !outputs.empty();
  }

  // Non-overlapping windows without padding.
  static bool is_plain(const Node& pool) {
    for (int64_t padding : pool.attrs.integers("padding"))
      if (padding != 0) return false;
    const auto size = pool.attrs.integers("pool_size");
    return size == pool.attrs.integers("strides") && size[0] * size[1] < 255;
  }

  // The index of a maximum that relu cut off is 255, which the gradient kernels skip.
  bool fuse_pool(const Node& pool, ValueId result, const char* activation) {
    const Node* add = matcher_.sole(pool.inputs[0], "add");
    if (!add || !is_plain(pool)) return false;
    const BiasAdd match = match_bias_add(graph_, matcher_, *add, "conv2d");
    if (!match.producer) return false;
    Attrs attrs = with_activation(match.producer->attrs, activation);
    attrs.set("pool_size", pool.attrs.integers("pool_size"));
    auto inputs = rewriter_.map(match.producer->inputs);
    inputs.push_back(rewriter_.map(match.bias));
    const auto outputs = try_add(rewriter_, accepts_, "conv2d_bias_pool", std::move(inputs),
                                 std::move(attrs), match.producer->scope);
    if (outputs.empty()) return false;
    rewriter_.set(result, outputs[0]);
    rewriter_.set(pool.outputs[1], outputs[1]);
    return true;
  }

  bool fuse_mask(const Node& node) {
    const Node* gradient = matcher_.sole(node.inputs[0], "conv2d_input_grad");
    if (!gradient || graph_.type(node.inputs[0]) != graph_.type(node.inputs[1])) return false;
    auto inputs = rewriter_.map(gradient->inputs);
    inputs.push_back(rewriter_.map(node.inputs[1]));
    const auto outputs = try_add(rewriter_, accepts_, "conv2d_input_grad_masked", std::move(inputs),
                                 gradient->attrs, gradient->scope);
    if (!outputs.empty()) rewriter_.set(node.outputs[0], outputs[0]);
    return !outputs.empty();
  }

  bool fuse_kernel_grad(const Node& node) {
    const Node* pool = matcher_.sole(node.inputs[1], "max_pool2d_grad");
    if (!pool || !is_plain(*pool)) return false;
    Attrs attrs = node.attrs;
    attrs.set("pool_size", pool->attrs.integers("pool_size"));
    const auto outputs = try_add(rewriter_, accepts_, "conv2d_kernel_grad_pooled",
                                 rewriter_.map({node.inputs[0], pool->inputs[0], pool->inputs[1]}),
                                 std::move(attrs), node.scope);
    if (!outputs.empty()) rewriter_.set(node.outputs[0], outputs[0]);
    return !outputs.empty();
  }
};

const RegisterPass registered{{"fuse_conv2d", [](const Graph& graph, const Accepts& accepts) {
                                 return Conv2dFuser(graph, accepts).run();
                               }}};

}  // namespace
}  // namespace stoker::graph
