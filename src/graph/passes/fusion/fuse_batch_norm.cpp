#include <unordered_map>
#include <unordered_set>

#include "graph/passes/match.h"

// A batch normalisation takes over the relu that follows it, and its way back the relu's; or the
// end of a residual block, where something is added and a relu follows.
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

  // At the normalisation, not at the relu: its statistics may have been read in between.
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

  // At the later of two normalisations that are added: by then the other's result is there.
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

  // The gradient of relu(y) where y is what this normalisation gives: x and the statistics tell as
  // well where it was positive.
  bool fuse_relu_grad(const Node& node) {
    const Node* slope = matcher_.sole(node.inputs[0], "relu_grad");
    const Node* relu = slope ? graph_.producer(slope->inputs[1]) : nullptr;
    if (!relu || relu->op->name != "relu" || node.attrs.find("activation")) return false;
    const Node* norm = graph_.producer(relu->inputs[0]);
    if (!norm || norm->op->name != "batch_norm" || norm->outputs[1] != node.inputs[2]) return false;
    auto inputs = rewriter_.map(node.inputs);
    inputs[0] = rewriter_.map(slope->inputs[0]);
    const auto outputs = try_add(rewriter_, accepts_, "batch_norm_grad", std::move(inputs),
                                 with_relu(node.attrs), node.scope);
    for (size_t i = 0; i < outputs.size(); ++i) rewriter_.set(node.outputs[i], outputs[i]);
    return !outputs.empty();
  }

  std::unordered_map<const Node*, const Node*> relu_of_;  // a normalisation's only reader
  std::unordered_map<const Node*, BlockEnd> block_of_;    // the same, of a residual block's last
  std::unordered_set<const Node*> taken_;
};

const RegisterPass registered{{"fuse_batch_norm", [](const Graph& graph, const Accepts& accepts) {
                                 return BatchNormFuser(graph, accepts).run();
                               }}};

}  // namespace
}  // namespace stoker::graph
