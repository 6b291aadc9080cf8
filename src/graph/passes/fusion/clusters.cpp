#include "graph/passes/fusion/clusters.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>

#include "graph/values.h"

namespace stoker::graph {

Clusters::Clusters(const Graph& graph)
    : graph_(graph),
      cluster_(graph.nodes.size()),
      members_(graph.nodes.size()),
      readers_(readers_of_nodes(graph)),
      highest_(graph.nodes.size()),
      seen_(graph.nodes.size(), 0) {
  std::iota(cluster_.begin(), cluster_.end(), 0);
  std::iota(highest_.begin(), highest_.end(), 0);
  for (size_t n = 0; n < graph.nodes.size(); ++n) members_[n] = {static_cast<int32_t>(n)};
}

template <class F>
void Clusters::for_sources(int32_t cluster, F f) const {
  for (int32_t node : members(cluster))
    for (ValueId v : graph_.nodes[static_cast<size_t>(node)].inputs)
      if (const Value& value = graph_.value(v); value.origin == Origin::node)
        if (const int32_t source = of(value.index); source != cluster) f(source);
}

bool Clusters::can_merge(int32_t a, int32_t b) {
  ++search_;
  std::vector<int32_t> open;
  // A cluster that depends on no node from the first member on cannot depend on a member.
  const int32_t first = std::min(members(a).front(), members(b).front());
  const auto visit = [&](int32_t cluster) {
    int32_t& seen = seen_[static_cast<size_t>(cluster)];
    if (seen == search_ || highest_[static_cast<size_t>(cluster)] < first) return;
    seen = search_;
    open.push_back(cluster);
  };
  for (int32_t cluster : {a, b})
    for_sources(cluster, [&](int32_t source) {
      if (source != a && source != b) visit(source);
    });
  bool cyclic = false;
  while (!open.empty() && !cyclic) {
    const int32_t cluster = open.back();
    open.pop_back();
    for_sources(cluster, [&](int32_t source) {
      cyclic |= source == a || source == b;
      visit(source);
    });
  }
  return !cyclic;
}

void Clusters::merge(int32_t a, int32_t b) {
  auto &to = members_[static_cast<size_t>(a)], &from = members_[static_cast<size_t>(b)];
  for (int32_t node : from) cluster_[static_cast<size_t>(node)] = a;
  to.insert(to.end(), from.begin(), from.end());
  std::sort(to.begin(), to.end());
  from.clear();
  int32_t& highest = highest_[static_cast<size_t>(a)];
  const int32_t joined = std::max(highest, highest_[static_cast<size_t>(b)]);
  highest = -1;  // so that raise() propagates it
  raise(a, joined);
}

void Clusters::raise(int32_t cluster, int32_t highest) {
  std::vector<int32_t> open{cluster};
  while (!open.empty()) {
    const int32_t now = open.back();
    open.pop_back();
    if (highest_[static_cast<size_t>(now)] >= highest) continue;
    highest_[static_cast<size_t>(now)] = highest;
    for (int32_t node : members(now))
      for (int32_t reader : readers_[static_cast<size_t>(node)]) open.push_back(of(reader));
  }
}

std::vector<int32_t> Clusters::order() const {
  std::vector<std::set<int32_t>> sources(members_.size());
  using Ready = std::pair<int32_t, int32_t>;  // last member, cluster
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (size_t c = 0; c < members_.size(); ++c) {
    if (members_[c].empty()) continue;
    const auto cluster = static_cast<int32_t>(c);
    for_sources(cluster, [&](int32_t source) { sources[c].insert(source); });
    if (sources[c].empty()) ready.push({members_[c].back(), cluster});
  }
  std::vector<int32_t> order;
  while (!ready.empty()) {
    const int32_t cluster = ready.top().second;
    ready.pop();
    order.push_back(cluster);
    for (int32_t node : members(cluster))
      for (int32_t reading : readers_[index_of(node)]) {
        const int32_t reader = of(reading);
        auto& left = sources[index_of(reader)];
        if (left.erase(cluster) == 1 && left.empty()) ready.push({members(reader).back(), reader});
      }
  }
  return order;
}

}  // namespace stoker::graph
