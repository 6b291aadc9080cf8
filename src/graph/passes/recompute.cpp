#include "graph/passes/recompute.h"

#include <map>

#include "graph/values.h"

// Gradient checkpointing: the backward pass gets copies of the forward nodes whose results were not
// kept, each just before its first reader.
namespace stoker::graph {
namespace {

class Recomputer {
 public:
  Recomputer(const Graph& graph, const Recomputation& how)
      : graph_(graph),
        forward_(find_forward(graph)),
        kept_(find_kept(graph, how)),
        flows_(find_gradient_flow(graph)),
        rewriter_(graph) {}

  Graph run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (!is_backward(node)) {
        rewriter_.keep(node);
        continue;
      }
      std::vector<ValueId> inputs;
      for (ValueId v : node.inputs) inputs.push_back(again(v));
      rewriter_.replace(node.outputs, *node.op, std::move(inputs), node.attrs, node.scope);
      if (flows_[n]) token_ = rewriter_.map(node.outputs[0]);
    }
    return rewriter_.finish();
  }

 private:
  bool is_dropped(ValueId v) const {
    const Value& value = graph_.value(v);
    return value.origin == Origin::node && forward_[index_of(value.index)] && !kept_[index_of(v)];
  }

  // The value for a backward node: the kept one, or a copy's result.
  ValueId again(ValueId v) {
    if (!is_dropped(v) || token_ == no_value) return rewriter_.map(v);
    if (const auto known = copies_.find(v); known != copies_.end()) return known->second;
    const Node& node = *graph_.producer(v);
    std::vector<ValueId> inputs;
    for (ValueId in : node.inputs) inputs.push_back(is_dropped(in) ? again(in) : held_back(in));
    const auto outputs =
        rewriter_.graph().add_node(*node.op, std::move(inputs), node.attrs, node.scope + ":again");
    for (size_t i = 0; i < outputs.size(); ++i) copies_[node.outputs[i]] = outputs[i];
    return copies_.at(v);
  }

  // A copy gets a dependency on the gradient that is current when it is first needed; otherwise it
  // could be fused with, or moved to, the forward pass.
  ValueId held_back(ValueId v) {
    const Value& value = graph_.value(v);
    if (value.origin == Origin::state && value.type.shape.size() == 1) return saved(v);
    if (value.origin != Origin::node) return rewriter_.map(v);
    return rewriter_.graph().add_node(find_op("after"), {rewriter_.map(v), token_}, {})[0];
  }

  // Counters are copied before they are updated: their update must not wait for the backward pass,
  // as it shares a kernel with other scalars that the optimizer needs.
  ValueId saved(ValueId v) {
    const auto [known, fresh] = copies_.try_emplace(v, no_value);
    if (fresh)
      known->second = rewriter_.graph().add_node(find_op("copy"), {rewriter_.map(v)}, {})[0];
    return known->second;
  }

  const Graph& graph_;
  const std::vector<bool> forward_, kept_, flows_;
  Rewriter rewriter_;
  ValueId token_ = no_value;  // the latest gradient, in the new graph
  std::map<ValueId, ValueId> copies_;
};

}  // namespace

Pass recompute_pass(const Recomputation& how) {
  return {"recompute",
          [how](const Graph& graph, const Accepts&) { return Recomputer(graph, how).run(); }};
}

}  // namespace stoker::graph
