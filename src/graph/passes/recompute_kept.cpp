#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "graph/passes/recompute.h"
#include "graph/values.h"

// Which values of the forward pass are kept for the backward pass.
namespace stoker::graph {
namespace {

// Matrix products and convolutions: more work per element than elementwise ops, reductions and
// normalisations.
bool is_costly(const Graph& graph, const Node& node) {
  constexpr double most_flops = 32;  // per element; random numbers take 20
  int64_t elements = 1;
  for (const auto* list : {&node.inputs, &node.outputs})
    for (ValueId v : *list)
      if (const Shape& shape = graph.type(v).shape; shape.is_known())
        elements = std::max(elements, shape.size());
  return graph.cost(node).flops > most_flops * static_cast<double>(elements);
}

// The forward pass as a sequence of nodes to be cut.
class Line {
 public:
  explicit Line(const Graph& graph)
      : graph_(graph), forward_(find_forward(graph)), root_(view_roots(graph)) {
    find_reads();
    weigh();
  }

  // The nodes after which to cut: in each equal share of the sequence, where the fewest bytes
  // cross.
  std::vector<int32_t> cuts(int64_t parts) const {
    std::vector<int32_t> found;
    const double total = static_cast<double>(sum_.empty() ? 0 : sum_.back());
    for (int64_t part = 1; part < parts; ++part) {
      const double middle = total * static_cast<double>(part) / static_cast<double>(parts);
      const int32_t cut = lightest(middle, total / static_cast<double>(2 * parts));
      if (cut >= 0 && (found.empty() || cut > found.back())) found.push_back(cut);
    }
    return found;
  }

  // Does it exist before the cut, and is it read after it?
  bool crosses(ValueId v, int32_t cut) const {
    return graph_.value(root_[index_of(v)]).index <= cut &&
           last_read_[index_of(root_[index_of(v)])] > cut;
  }
  int32_t producer(ValueId v) const { return graph_.value(v).index; }
  bool is_forward(ValueId v) const {
    const Value& value = graph_.value(v);
    return value.origin == Origin::node && forward_[index_of(value.index)];
  }

 private:
  void find_reads() {
    last_read_.assign(graph_.values.size(), -1);
    needed_.assign(graph_.values.size(), false);
    for (size_t n = 0; n < graph_.nodes.size(); ++n)
      for (ValueId v : graph_.nodes[n].inputs) {
        const size_t root = index_of(root_[index_of(v)]);
        if (forward_[n]) last_read_[root] = static_cast<int32_t>(n);
        if (is_backward(graph_.nodes[n]) && is_forward(root_[index_of(v)])) needed_[root] = true;
      }
  }

  // By node: the bytes that the backward pass needs up to it, and those that cross a cut after it.
  void weigh() {
    const auto nodes = static_cast<size_t>(std::count(forward_.begin(), forward_.end(), true));
    sum_.assign(nodes, 0);
    std::vector<int64_t> change(nodes + 1, 0);
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      if (!is_forward(static_cast<ValueId>(v)) || index_of(root_[v]) != v) continue;
      const size_t made = index_of(graph_.values[v].index);
      const int64_t bytes = graph_.values[v].type.bytes();
      if (needed_[v]) sum_[made] += bytes;
      if (last_read_[v] <= static_cast<int32_t>(made)) continue;
      change[made] += bytes;
      change[index_of(last_read_[v])] -= bytes;
    }
    std::partial_sum(sum_.begin(), sum_.end(), sum_.begin());
    crossing_.resize(nodes);
    std::partial_sum(change.begin(), change.end() - 1, crossing_.begin());
  }

  int32_t lightest(double middle, double reach) const {
    int32_t best = -1;
    double best_distance = 0;
    for (size_t n = 0; n + 1 < sum_.size(); ++n) {
      const double distance = std::abs(static_cast<double>(sum_[n]) - middle);
      if (distance > reach) continue;
      const auto cut = static_cast<int32_t>(n);
      const bool lighter = best < 0 || crossing_[n] < crossing_[index_of(best)];
      const bool nearer =
          best >= 0 && crossing_[n] == crossing_[index_of(best)] && distance < best_distance;
      if (lighter || nearer) best = cut, best_distance = distance;
    }
    return best;
  }

  const Graph& graph_;
  std::vector<bool> forward_, needed_;
  std::vector<ValueId> root_;
  std::vector<int32_t> last_read_;  // by value, in the forward pass
  std::vector<int64_t> sum_, crossing_;
};

}  // namespace

std::vector<bool> find_kept(const Graph& graph, const Recomputation& how) {
  const Line line(graph);
  const auto cuts = line.cuts(how.parts);
  std::vector<bool> kept(graph.values.size(), false);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const auto value = static_cast<ValueId>(v);
    if (!line.is_forward(value)) continue;
    if (graph.producer(value)->op->stateful) {  // recomputed it would differ
      kept[v] = true;
      continue;
    }
    kept[v] = how.parts == 0 ? is_costly(graph, *graph.producer(value))
                             : cuts.empty() || line.producer(value) > cuts.back() ||
                                   std::any_of(cuts.begin(), cuts.end(), [&](int32_t cut) {
                                     return line.crosses(value, cut);
                                   });
  }
  return kept;
}

std::vector<Recomputation> recomputations(const Graph& graph) {
  const auto forward = find_forward(graph);
  int64_t costly = 0;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    costly += forward[n] && is_costly(graph, graph.nodes[n]);
  std::vector<Recomputation> found{{0}};
  // The best number of equal parts is about the square root of the number of expensive ops.
  const auto most = static_cast<int64_t>(2 * std::sqrt(static_cast<double>(costly))) + 1;
  for (int64_t parts = 2; parts <= most; parts += std::max<int64_t>(1, parts / 2))
    found.push_back({parts});
  return found;
}

}  // namespace stoker::graph
