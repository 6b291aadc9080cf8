#include <algorithm>
#include <numeric>
#include <tuple>

#include "graph/rewrite.h"
#include "graph/values.h"

// Moves nodes that write states, and nodes only they depend on, as early as their operands and the
// other readers of those states allow: a gradient's memory is then free as soon as it is used.
namespace stoker::graph {
namespace {

class Scheduler {
 public:
  explicit Scheduler(const Graph& graph)
      : graph_(graph), place_(graph.nodes.size()), root_(view_roots(graph)) {
    state_of_.assign(graph.values.size(), no_value);
    for (const auto& use : graph.states)
      if (use.update != no_value) state_of_[index_of(use.update)] = use.value;
    find_movable();
  }

  Graph run() {
    last_reader_.assign(graph_.values.size(), Place{-1, 0});
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      place_[n] = movable_[n] ? earliest(graph_.nodes[n]) : Place{static_cast<int64_t>(n), 0};
      for (ValueId v : graph_.nodes[n].inputs) {
        Place& last = last_reader_[index_of(root_[index_of(v)])];
        last = std::max(last, place_[n]);
      }
    }
    std::vector<size_t> order(graph_.nodes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return place_[a] < place_[b]; });
    Rewriter rewriter(graph_);
    for (size_t n : order) rewriter.keep(graph_.nodes[n]);
    return rewriter.finish();
  }

 private:
  // The node of the old order after which it is placed, and its position among the nodes moved
  // there.
  using Place = std::pair<int64_t, int64_t>;

  // Backwards: a node moves if it writes a state, or is elementwise and only read by nodes that
  // move.
  void find_movable() {
    std::vector<bool> read_by_fixed(graph_.values.size(), false);
    for (ValueId v : graph_.outputs) read_by_fixed[index_of(v)] = true;
    movable_.resize(graph_.nodes.size());
    for (size_t n = graph_.nodes.size(); n-- > 0;) {
      const Node& node = graph_.nodes[n];
      const bool by_element = node.op->elementwise || node.op->view || !node.op->in_place.empty();
      movable_[n] =
          writes_states(node) ||
          (by_element && std::none_of(node.outputs.begin(), node.outputs.end(),
                                      [&](ValueId v) { return read_by_fixed[index_of(v)]; }));
      if (!movable_[n])
        for (ValueId v : node.inputs) read_by_fixed[index_of(v)] = true;
    }
  }

  bool writes_states(const Node& node) const {
    return !node.op->view && std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) {
      return state_of_[index_of(v)] != no_value;
    });
  }

  Place earliest(const Node& node) const {
    Place place{-1, 0};
    for (ValueId v : node.inputs)
      if (graph_.value(v).origin == Origin::node)
        place = std::max(place, place_[static_cast<size_t>(graph_.value(v).index)]);
    for (ValueId v : node.outputs)
      if (const ValueId state = state_of_[index_of(v)]; state != no_value)
        place = std::max(place, last_reader_[index_of(state)]);
    return {place.first, place.second + 1};
  }

  const Graph& graph_;
  std::vector<Place> place_, last_reader_;
  std::vector<ValueId> root_, state_of_;
  std::vector<bool> movable_;
};

const RegisterPass registered{
    {"schedule", [](const Graph& graph, const Accepts&) { return Scheduler(graph).run(); }}};

}  // namespace
}  // namespace stoker::graph
