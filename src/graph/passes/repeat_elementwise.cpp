#include <algorithm>
#include <map>
#include <set>

#include "graph/passes/backward.h"
#include "graph/passes/match.h"
#include "graph/values.h"

// Recomputes elementwise chains, such as the parts of a gelu, in the backward pass from the chain's
// inputs if that needs less memory: arithmetic is faster than memory.
namespace stoker::graph {
namespace {

constexpr int64_t worth_it = 4096;  // elements

class Repeater : public NodeFuser {
 public:
  Repeater(const Graph& graph, const Accepts& accepts) : NodeFuser(graph, accepts) {
    find_chains();
    judge_chains();
  }

 private:
  bool fuse(const Node& node) override {
    if (!is_backward(node) || !node.op->elementwise) return false;
    const auto wanted = [&](ValueId v) { return repeats(v); };
    if (std::none_of(node.inputs.begin(), node.inputs.end(), wanted)) return false;
    rewriter_.replace(node.outputs, *node.op, sources(node), node.attrs, node.scope);
    return true;
  }
  std::vector<ValueId> sources(const Node& node) {
    std::vector<ValueId> inputs;
    for (ValueId v : node.inputs) inputs.push_back(repeats(v) ? again(v) : rewriter_.map(v));
    return inputs;
  }
  ValueId again(ValueId v) {
    if (const auto known = again_.find(v); known != again_.end()) return known->second;
    const Node& node = *graph_.producer(v);
    const std::string scope = node.scope.empty() ? "grad" : node.scope + ":grad";
    return again_[v] = rewriter_.graph().add_node(*node.op, sources(node), node.attrs, scope)[0];
  }
  bool repeats(ValueId v) const {
    return chain_[index_of(v)] != no_value && worth_[index_of(root(v))];
  }

  // Large values of the forward pass that are made and read by elementwise nodes only; connected
  // ones form a chain.
  void find_chains() {
    std::vector<bool> hidden(graph_.values.size(), true);
    read_back_.assign(graph_.values.size(), false);
    for (const Node& node : graph_.nodes)
      for (ValueId v : node.inputs) {
        if (!node.op->elementwise) hidden[index_of(v)] = false;
        if (is_backward(node)) read_back_[index_of(v)] = true;
      }
    for (ValueId v : graph_.outputs) hidden[index_of(v)] = false;
    for (const auto& use : graph_.states)
      if (use.update != no_value) hidden[index_of(use.update)] = false;
    chain_.assign(graph_.values.size(), no_value);
    for (const Node& node : graph_.nodes) {
      const ValueId v = node.outputs[0];
      if (is_backward(node) || !node.op->elementwise || node.outputs.size() != 1 ||
          !hidden[index_of(v)] || graph_.type(v).shape.size() < worth_it)
        continue;
      chain_[index_of(v)] = v;
      for (ValueId u : node.inputs)
        if (chain_[index_of(u)] != no_value) chain_[index_of(root(u))] = v;
    }
  }
  ValueId root(ValueId v) const {
    while (chain_[index_of(v)] != v) v = chain_[index_of(v)];
    return v;
  }

  // Would less be kept than before? What the backward pass reads anyway costs nothing.
  void judge_chains() {
    std::map<ValueId, std::set<ValueId>> saved, begins;
    for (const Node& node : graph_.nodes) {
      const ValueId v = node.outputs[0];
      if (chain_[index_of(v)] == no_value) continue;
      if (read_back_[index_of(v)]) saved[root(v)].insert(v);
      for (ValueId u : node.inputs)
        if (chain_[index_of(u)] == no_value && graph_.type(u).shape.size() >= worth_it &&
            graph_.value(u).origin == Origin::node && !read_back_[index_of(u)])
          begins[root(v)].insert(u);
    }
    worth_.assign(graph_.values.size(), false);
    for (const auto& [chain, values] : saved)
      worth_[index_of(chain)] = begins[chain].size() < values.size();
  }

  // by value: a link towards the chain's last value, which links to itself
  std::vector<ValueId> chain_;
  std::vector<bool> read_back_, worth_;
  std::map<ValueId, ValueId> again_;
};

const RegisterPass registered{
    {"repeat_elementwise",
     [](const Graph& graph, const Accepts& accepts) { return Repeater(graph, accepts).run(); }}};

}  // namespace
}  // namespace stoker::graph
