#pragma once
#include "graph/rewrite.h"

// Helpers of the passes that match patterns in a graph: who produces a value, who reads it.
namespace stoker::graph {

// The input that this node returns unchanged (x + 0, a reshape to the same shape), else no_value.
ValueId same_as(const Graph& graph, const Node& node);

// Matches patterns backwards from a node: inner values of a pattern must have no other reader.
class Matcher {
 public:
  explicit Matcher(const Graph& graph) : graph_(graph), uses_(count_uses(graph)) {}

  bool is_single_use(ValueId v) const { return uses_[static_cast<size_t>(v)] == 1; }
  // The node that produces v, if it is this op and v has only one reader.
  const Node* sole(ValueId v, std::string_view op) const {
    const Node* node = graph_.producer(v);
    return node && node->op->name == op && is_single_use(v) ? node : nullptr;
  }
  // Looks through a reshape that nothing else reads.
  ValueId behind_reshape(ValueId v) const {
    const Node* reshape = sole(v, "reshape");
    return reshape ? reshape->inputs[0] : v;
  }

 private:
  const Graph& graph_;
  std::vector<int32_t> uses_;
};

// A pass that visits one node after the other; nodes that fuse() does not replace are copied.
class NodeFuser {
 public:
  NodeFuser(const Graph& graph, const Accepts& accepts)
      : graph_(graph), accepts_(accepts), matcher_(graph), rewriter_(graph) {}
  virtual ~NodeFuser() = default;

  Graph run() {
    for (const Node& node : graph_.nodes)
      if (!fuse(node)) rewriter_.keep(node);
    return rewriter_.finish();
  }

 protected:
  virtual bool fuse(const Node& node) = 0;

  const Graph& graph_;
  const Accepts& accepts_;
  Matcher matcher_;
  Rewriter rewriter_;
};

// For an add of `op`'s result and a row along its last axis: both, else nulls.
struct BiasAdd {
  const Node* producer = nullptr;
  ValueId result = no_value, bias = no_value;
};
BiasAdd match_bias_add(const Graph& graph, const Matcher& matcher, const Node& add,
                       std::string_view op);

// Adds the fused node if the device accepts it; otherwise what was added is dropped as unused.
std::vector<ValueId> try_add(Rewriter& rewriter, const Accepts& accepts, std::string_view op,
                             std::vector<ValueId> inputs, Attrs attrs, const std::string& scope);

// Replaces the old value by `now`, reshaped to the old value's shape.
void stand_in(Rewriter& rewriter, const Graph& graph, ValueId old, ValueId now);

}  // namespace stoker::graph
