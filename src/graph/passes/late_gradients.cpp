#include "graph/passes/late_gradients.h"

#include <set>

#include "graph/passes/backward.h"
#include "graph/values.h"

namespace stoker::graph {
namespace {

class LateGradientFinder {
 public:
  LateGradientFinder(const Graph& graph, const std::vector<bool>& fusible)
      : graph_(graph), forward_(find_forward(graph)), readers_(readers_of_nodes(graph)) {
    const auto flows = find_gradient_flow(graph);
    kept_.assign(graph.values.size(), false);
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      candidate_.push_back(is_backward(node) && fusible[n] && !flows[n] &&
                           graph.type(node.outputs[0]).shape.size() > 1);
      if (is_backward(node) && !candidate_[n])
        for (ValueId v : node.inputs) kept_[index_of(v)] = true;
    }
  }

  std::vector<bool> run() {
    std::vector<bool> late(graph_.nodes.size(), false), seen(graph_.nodes.size(), false);
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!candidate_[n] || seen[n]) continue;
      const auto chain = chain_of(static_cast<int32_t>(n), seen);
      const bool costs_no_more = reads(chain).size() <= 1;
      for (int32_t member : chain) late[index_of(member)] = costs_no_more;
    }
    return late;
  }

 private:
  std::vector<int32_t> chain_of(int32_t first, std::vector<bool>& seen) const {
    std::vector<int32_t> chain{first};
    seen[index_of(first)] = true;
    const auto visit = [&](int32_t n) {
      if (!candidate_[index_of(n)] || seen[index_of(n)]) return;
      seen[index_of(n)] = true;
      chain.push_back(n);
    };
    for (size_t i = 0; i < chain.size(); ++i) {
      for (int32_t reader : readers_[index_of(chain[i])]) visit(reader);
      for (ValueId v : graph_.nodes[index_of(chain[i])].inputs)
        if (graph_.value(v).origin == Origin::node) visit(graph_.value(v).index);
    }
    return chain;
  }

  // Values of the forward pass that are kept only for this chain.
  std::set<ValueId> reads(const std::vector<int32_t>& chain) const {
    std::set<ValueId> found;
    for (int32_t n : chain)
      for (ValueId v : graph_.nodes[index_of(n)].inputs) {
        const Value& value = graph_.value(v);
        if (value.origin == Origin::node && forward_[index_of(value.index)] && !kept_[index_of(v)])
          found.insert(v);
      }
    return found;
  }

  const Graph& graph_;
  const std::vector<bool> forward_;
  std::vector<std::vector<int32_t>> readers_;
  std::vector<bool> candidate_, kept_;
};

}  // namespace

std::vector<bool> find_late_gradients(const Graph& graph, const std::vector<bool>& fusible) {
  return LateGradientFinder(graph, fusible).run();
}

}  // namespace stoker::graph
