#include <set>

#include "graph/passes/match.h"

// The layer that computes a classifier's logits, the softmax head, and the gradient through that
// layer become one node: each sample is independent of the others.
namespace stoker::graph {
namespace {

class DenseHeadFuser : public NodeFuser {
 public:
  using NodeFuser::NodeFuser;

 private:
  bool fuse(const Node& head) override {
    if (done_.contains(&head)) return true;
    if (head.op->name != "softmax_head" || !head.attrs.flag("gradient")) return false;
    const Node* layer = matcher_.sole(head.inputs[1], "fused_matmul");
    if (!layer || !is_plain_layer(*layer)) return false;
    const Node* back = way_back(head.outputs[2], layer->inputs[1], layer->inputs[0]);
    if (!back) return false;
    const auto inputs = rewriter_.map(
        {head.inputs[0], layer->inputs[0], layer->inputs[1], layer->inputs[2], head.inputs[2]});
    const auto made = try_add(rewriter_, accepts_, "dense_softmax_head", inputs,
                              {{"mask", int64_t{back->attrs.flag("mask")}}}, layer->scope);
    if (made.empty()) return false;
    for (size_t i = 0; i < 4; ++i) stand_in(rewriter_, graph_, head.outputs[i], made[i]);
    stand_in(rewriter_, graph_, back->outputs[0], made[4]);
    done_.insert(back);
    return true;
  }

  static bool is_plain_layer(const Node& layer) {
    const Attrs& a = layer.attrs;
    return a.flag("bias") && !a.flag("mask") && !a.flag("transpose_a") && !a.flag("transpose_b") &&
           a.text("activation").empty();
  }

  // The product of the logits' gradient and the transposed weights, masked by the layer's input or
  // unmasked.
  const Node* way_back(ValueId gradient, ValueId weights, ValueId input) const {
    for (const Node& node : graph_.nodes) {
      const bool product = node.op->name == "matmul" || node.op->name == "fused_matmul";
      if (!product || node.inputs[0] != gradient || node.inputs[1] != weights) continue;
      const Attrs& a = node.attrs;
      if (a.flag("transpose_a") || !a.flag("transpose_b") || a.flag("bias")) continue;
      if (!a.flag("mask") || node.inputs[2] == input) return &node;
    }
    return nullptr;
  }

  std::set<const Node*> done_;  // matrix products that were fused into a head
};

const RegisterPass registered{
    {"fuse_dense_softmax_head", [](const Graph& graph, const Accepts& accepts) {
       return DenseHeadFuser(graph, accepts).run();
     }}};

}  // namespace
}  // namespace stoker::graph
