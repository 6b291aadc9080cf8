#include <unordered_map>
#include <unordered_set>

#include "graph/passes/match.h"

// Fuses a batch normalisation with the relu that follows it, in the backward pass too; or with the
// end of a residual block: an addition followed by a relu.
namespace stoker::graph {
namespace {

class BatchNormFuser : public NodeFuser {
 public:
  BatchNormFuser(const Graph& graph, const Accepts& accepts) : NodeFuser(graph, accepts) {
    for (const Node& node : graph.nodes)
      if (node.op->name == "relu") look_behind(node);
  }

 private:
  struct BlockEnd {
    const Node *add, *relu;
    ValueId added;
  };

  void look_behind(const Node& relu) {
    if (const Node* norm = matcher_.sole(relu.inputs[0], "batch_norm")) relu_of_[norm] = &relu;
    const Node* add = matcher_.sole(relu.inputs[0], "add");
    for (size_t side = 0; add && side < 2; ++side) {
      const Node* norm = matcher_.sole(add->inputs[side], "batch_norm");
      const ValueId added = add->inputs[1 - side];
      if (norm && norm->outputs[0] == add->inputs[side] &&
          graph_.type(added) == graph_.type(norm->outputs[0]))
        block_of_[norm] = {add, &relu, added};
    }
  }

  bool fuse(const Node& node) override {
    if (taken_.contains(&node)) return true;
    if (node.op->name == "batch_norm") return fuse_relu(node) || fuse_block(node);
    return node.op->name == "batch_norm_grad" && fuse_relu_grad(node);
  }

  static Attrs with_relu(Attrs attrs) {
    attrs.set("activation", std::string("relu"));
    return attrs;
  }

  // Placed at the normalisation, not at the relu: its statistics may be read in between.
  bool fuse_relu(const Node& norm) {
    const auto found = relu_of_.find(&norm);
    if (found == relu_of_.end() || norm.attrs.find("activation")) return false;
    const auto outputs = try_add(rewriter_, accepts_, "batch_norm", rewriter_.map(norm.inputs),
                                 with_relu(norm.attrs), norm.scope);
    if (outputs.empty()) return false;
    rewriter_.set(found->second->outputs[0], outputs[0]);
    for (size_t i = 1; i < outputs.size(); ++i) rewriter_.set(norm.outputs[i], outputs[i]);
    taken_.insert(found->second);
    return true;
  }

  // Placed at the later of two normalisations that are added, where the other's result exists.
  bool fuse_block(const Node& norm) {
    const auto found = block_of_.find(&norm);
    if (found == block_of_.end() || norm.attrs.find("activation")) return false;
    const auto& [add, relu, added] = found->second;
    auto inputs = rewriter_.map(norm.inputs);
    inputs.push_back(rewriter_.map(added));
    if (inputs.back() == no_value) return false;
    Attrs attrs = with_relu(norm.attrs);
    attrs.set("residual", int64_t{1});
    const auto outputs = try_add(rewriter_, accepts_, "batch_norm", inputs, attrs, norm.scope);
    if (outputs.empty()) return false;
    rewriter_.set(relu->outputs[0], outputs[0]);
    for (size_t i = 1; i < outputs.size(); ++i) rewriter_.set(norm.outputs[i], outputs[i]);
    taken_.insert({add, relu});
    return true;
  }

  // The gradient of relu(y), where y is this normalisation's output: the sign of y is recomputed
  // from x and the statistics.
  bool fuse_relu_grad(const Node& node) {
    const Node* relu_gradient = matcher_.sole(node.inputs[0], "relu_grad");
    const Node* relu = relu_gradient ? graph_.producer(relu_gradient->inputs[1]) : nullptr;
    if (!relu || relu->op->name != "relu" || node.attrs.find("activation")) return false;
    const Node* norm = graph_.producer(relu->inputs[0]);
    if (!norm || norm->op->name != "batch_norm" || norm->outputs[1] != node.inputs[2]) return false;
    auto inputs = rewriter_.map(node.inputs);
    inputs[0] = rewriter_.map(relu_gradient->inputs[0]);
    const auto outputs = try_add(rewriter_, accepts_, "batch_norm_grad", std::move(inputs),
                                 with_relu(node.attrs), node.scope);
    for (size_t i = 0; i < outputs.size(); ++i) rewriter_.set(node.outputs[i], outputs[i]);
    return !outputs.empty();
  }

  std::unordered_map<const Node*, const Node*> relu_of_;  // by normalisation: its only reader
  // by normalisation: the end of a residual block
  std::unordered_map<const Node*, BlockEnd> block_of_;
  std::unordered_set<const Node*> taken_;
};

const RegisterPass registered{{"fuse_batch_norm", [](const Graph& graph, const Accepts& accepts) {
                                 return BatchNormFuser(graph, accepts).run();
                               }}};

}  // namespace
}  // namespace stoker::graph
