#include "graph/passes/match.h"

// A Dense layer after a flattened convolution: the gradient that it passes back is a matrix product
// as large as the images, and often only the convolution's weight gradient reads it. Then the two
// become one node, and the product is never written.
namespace stoker::graph {
namespace {

class ProductGradientFuser : public NodeFuser {
 public:
  using NodeFuser::NodeFuser;

 private:
  bool fuse(const Node& node) override {
    const bool pooled = node.op->name == "conv2d_kernel_bias_grad_pooled";
    if (!pooled && node.op->name != "conv2d_kernel_bias_grad") return false;
    const Node* product = product_behind(node.inputs[1]);
    if (!product) return false;
    const bool masked = product->inputs.size() > 2;
    // A pooling index includes the mask if both come from the same convolution.
    if (pooled ? masked && !is_mask_of(node.inputs[2], product->inputs[2]) : !masked) return false;
    const ValueId cut = pooled ? node.inputs[2] : product->inputs[2];
    const auto outputs =
        try_add(rewriter_, accepts_, "conv2d_kernel_bias_grad_of_product",
                rewriter_.map({node.inputs[0], product->inputs[0], product->inputs[1], cut}),
                node.attrs, node.scope);
    for (size_t i = 0; i < outputs.size(); ++i) rewriter_.set(node.outputs[i], outputs[i]);
    return !outputs.empty();
  }

  // a · wᵀ, masked or not.
  const Node* product_behind(ValueId gradient) const {
    const ValueId made = matcher_.behind_reshape(gradient);
    const Node* product = matcher_.sole(made, "matmul");
    if (!product) {
      product = matcher_.sole(made, "fused_matmul");
      if (!product || !product->attrs.flag("mask") || product->attrs.flag("bias")) return nullptr;
    }
    const bool plain = !product->attrs.flag("transpose_a") && product->attrs.flag("transpose_b");
    return plain && graph_.type(product->inputs[1]).shape.rank() == 2 &&
                   graph_.type(product->inputs[0]).shape.rank() == 2
               ? product
               : nullptr;
  }

  bool is_mask_of(ValueId index, ValueId mask) const {
    const Node* reshape = graph_.producer(mask);
    if (reshape && reshape->op->name == "reshape") mask = reshape->inputs[0];
    const Node* conv = graph_.producer(index);
    return conv && conv->op->name == "conv2d_bias_pool" && conv->outputs[0] == mask &&
           conv->attrs.text("activation") == "relu";
  }
};

const RegisterPass registered{
    {"fuse_conv2d_of_product", [](const Graph& graph, const Accepts& accepts) {
       return ProductGradientFuser(graph, accepts).run();
     }}};

}  // namespace
}  // namespace stoker::graph
