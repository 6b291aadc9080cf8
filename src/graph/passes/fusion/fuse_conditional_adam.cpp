#include <array>

#include "graph/passes/match.h"

// An Adam update under a condition (a step that may be skipped, gradient accumulation) becomes one
// node that evaluates the condition: the states are updated in place instead of being selected from
// two copies. It also takes the gradient before it was cast to float32 and unscaled.
namespace stoker::graph {
namespace {

struct Selects {
  std::array<const Node*, 3> nodes{};
  ValueId condition = no_value;
};

class ConditionalAdamFuser {
 public:
  ConditionalAdamFuser(const Graph& graph, const Accepts& accepts)
      : graph_(graph), accepts_(accepts), matcher_(graph), rewriter_(graph) {}

  Graph run() {
    for (const Node& node : graph_.nodes)
      if (!done(node) && !fuse(node)) rewriter_.keep(node);
    return rewriter_.finish();
  }

 private:
  bool done(const Node& node) const {
    return node.op->name == "select" && rewriter_.map(node.outputs[0]) != no_value;
  }

  // Nothing before the first select of an update reads the update's results.
  bool fuse(const Node& node) {
    if (node.op->name != "select") return false;
    const Node* adam = matcher_.sole(node.inputs[1], "adam_update");
    if (!adam) return false;
    const Selects selects = selects_of(*adam);
    if (selects.condition == no_value) return false;
    auto fused = try_fuse(*adam, selects.condition, true);
    if (fused.empty()) fused = try_fuse(*adam, selects.condition, false);
    for (size_t i = 0; i < fused.size(); ++i) rewriter_.set(selects.nodes[i]->outputs[0], fused[i]);
    return !fused.empty();
  }

  // select(condition, new state, old state) for all three states of the step.
  Selects selects_of(const Node& adam) const {
    Selects found;
    for (const Node& node : graph_.nodes) {
      if (node.op->name != "select" || graph_.producer(node.inputs[1]) != &adam) continue;
      const auto state = static_cast<size_t>(graph_.value(node.inputs[1]).output);
      const bool fits = matcher_.is_single_use(node.inputs[1]) &&
                        node.inputs[2] == adam.inputs[state] &&
                        graph_.type(node.inputs[0]).shape.size() == 1 &&
                        (found.condition == no_value || found.condition == node.inputs[0]);
      if (!fits) return {};
      found.nodes[state] = &node;
      found.condition = node.inputs[0];
    }
    for (const Node* node : found.nodes)
      if (!node) return {};
    return found;
  }

  std::vector<ValueId> try_fuse(const Node& adam, ValueId condition, bool deep) {
    std::vector<ValueId> inputs = adam.inputs;
    inputs.push_back(condition);
    Attrs attrs = adam.attrs;
    if (deep) {
      const Node* divide = matcher_.sole(inputs[3], "divide");
      if (!divide || graph_.type(divide->inputs[1]).shape.size() != 1) return {};
      inputs[3] = before_widening(divide->inputs[0]);
      inputs.push_back(divide->inputs[1]);
      attrs.set("scaled", int64_t{1});
    }
    return try_add(rewriter_, accepts_, "adam_update_if", rewriter_.map(inputs), std::move(attrs),
                   adam.scope);
  }

  ValueId before_widening(ValueId v) const {
    const Node* cast = matcher_.sole(v, "cast");
    return cast && is_half(graph_.type(cast->inputs[0]).dtype) ? cast->inputs[0] : v;
  }

  const Graph& graph_;
  const Accepts& accepts_;
  Matcher matcher_;
  Rewriter rewriter_;
};

const RegisterPass registered{
    {"fuse_conditional_adam", [](const Graph& graph, const Accepts& accepts) {
       return ConditionalAdamFuser(graph, accepts).run();
     }}};

}  // namespace
}  // namespace stoker::graph
