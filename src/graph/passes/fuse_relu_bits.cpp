#include "graph/passes/match.h"

// Where a device keeps a relu as bits, a product masked by the activation reads those instead: a
// bit for an element.
namespace stoker::graph {
namespace {

class ReluBitsFuser {
 public:
  ReluBitsFuser(const Graph& graph, const Accepts& accepts)
      : graph_(graph), accepts_(accepts), rewriter_(graph), bits_(graph.values.size(), no_value) {}

  Graph run() {
    for (const Node& node : graph_.nodes)
      if (!write_bits(node) && !read_bits(node)) rewriter_.keep(node);
    return rewriter_.finish();
  }

 private:
  bool write_bits(const Node& node) {
    if (node.op->name != "fused_matmul" || node.attrs.text("activation") != "relu" ||
        !node.attrs.flag("bias") || node.attrs.flag("mask") || !masks(node.outputs[0]))
      return false;
    const auto outputs = try_add(rewriter_, accepts_, "matmul_relu_bits",
                                 rewriter_.map(node.inputs), orientation(node), node.scope);
    if (outputs.empty()) return false;
    rewriter_.set(node.outputs[0], outputs[0]);
    bits_[static_cast<size_t>(node.outputs[0])] = outputs[1];
    return true;
  }

  bool read_bits(const Node& node) {
    if (!is_masked(node) || bits_[static_cast<size_t>(node.inputs.back())] == no_value)
      return false;
    auto inputs = rewriter_.map(node.inputs);
    inputs.back() = bits_[static_cast<size_t>(node.inputs.back())];
    const auto outputs = try_add(rewriter_, accepts_, "matmul_where_bits", std::move(inputs),
                                 orientation(node), node.scope);
    if (!outputs.empty()) rewriter_.set(node.outputs[0], outputs[0]);
    return !outputs.empty();
  }

  static bool is_masked(const Node& node) {
    return node.op->name == "fused_matmul" && node.attrs.flag("mask") && !node.attrs.flag("bias") &&
           node.attrs.text("activation").empty();
  }
  bool masks(ValueId v) const {
    for (const Node& node : graph_.nodes)
      if (is_masked(node) && node.inputs.back() == v) return true;
    return false;
  }
  static Attrs orientation(const Node& node) {
    return {{"transpose_a", int64_t{node.attrs.flag("transpose_a")}},
            {"transpose_b", int64_t{node.attrs.flag("transpose_b")}}};
  }

  const Graph& graph_;
  const Accepts& accepts_;
  Rewriter rewriter_;
  std::vector<ValueId> bits_;  // by old value
};

const RegisterPass pass{{"fuse_relu_bits", 33, [](const Graph& graph, const Accepts& accepts) {
                           return ReluBitsFuser(graph, accepts).run();
                         }}};

}  // namespace
}  // namespace stoker::graph
