#include <algorithm>
#include <map>

#include "graph/passes/match.h"

// A convolution's bias gradient sums the tensor that its kernel gradient reads anyway: one pass
// over it computes both.
namespace stoker::graph {
namespace {

bool sums_pixels(const Graph& graph, const Node& node) {
  return node.op->name == "reduce_sum" && !node.attrs.flag("keepdims") &&
         graph.type(node.inputs[0]).shape.rank() == 4 &&
         node.attrs.integers("axis") == std::vector<int64_t>{0, 1, 2};
}

std::string fused_name(const Node& node) {
  if (node.op->name == "conv2d_kernel_grad") return "conv2d_kernel_bias_grad";
  if (node.op->name == "conv2d_kernel_grad_pooled") return "conv2d_kernel_bias_grad_pooled";
  return "";
}

// A sum and a kernel gradient that read the same tensor; of several kernel gradients the first.
struct Partners {
  const Node *sum = nullptr, *kernel_grad = nullptr;
};

// Is the sum not read before the kernel gradient?
bool can_wait(const Partners& pair) {
  for (const Node* node = pair.sum + 1; node < pair.kernel_grad; ++node)
    if (std::find(node->inputs.begin(), node->inputs.end(), pair.sum->outputs[0]) !=
        node->inputs.end())
      return false;
  return true;
}

Graph fuse(const Graph& graph, const Accepts& accepts) {
  std::map<ValueId, Partners> by_gradient;
  for (const Node& node : graph.nodes) {
    if (sums_pixels(graph, node)) by_gradient[node.inputs[0]].sum = &node;
    if (fused_name(node).empty()) continue;
    if (Partners& pair = by_gradient[node.inputs[1]]; !pair.kernel_grad) pair.kernel_grad = &node;
  }
  Rewriter rewriter(graph);
  const auto try_fuse = [&](const Partners& pair) {
    const Node& grad = *pair.kernel_grad;
    const auto outputs = try_add(rewriter, accepts, fused_name(grad), rewriter.map(grad.inputs),
                                 grad.attrs, grad.scope);
    if (outputs.empty()) return false;
    rewriter.set(grad.outputs[0], outputs[0]);
    rewriter.set(pair.sum->outputs[0], outputs[1]);
    return true;
  };
  const auto exists = [&](ValueId v) { return rewriter.map(v) != no_value; };
  for (const Node& node : graph.nodes) {
    const bool is_sum = sums_pixels(graph, node);
    const auto found = is_sum || !fused_name(node).empty()
                           ? by_gradient.find(node.inputs[is_sum ? 0 : 1])
                           : by_gradient.end();
    if (found != by_gradient.end() &&
        (&node == found->second.sum || &node == found->second.kernel_grad)) {
      const bool paired = found->second.sum && found->second.kernel_grad;
      // The first of the two nodes is replaced, if the inputs of both exist by then.
      if (paired && exists(node.outputs[0])) continue;
      const auto& read = paired ? found->second.kernel_grad->inputs : node.inputs;
      if (!std::all_of(read.begin(), read.end(), exists)) {
        if (can_wait(found->second)) continue;
        found->second = {};
        rewriter.keep(node);
        continue;
      }
      if (paired && try_fuse(found->second)) continue;
      if (paired) found->second = {};
    }
    rewriter.keep(node);
  }
  return rewriter.finish();
}

const RegisterPass registered{{"fuse_conv2d_bias_grad", fuse}};

}  // namespace
}  // namespace stoker::graph
