#pragma once
#include <vector>

#include "graph/graph.h"

namespace stoker::graph {

// Clusters of nodes that will be fused. Two may be merged only if no path between them goes through
// a node outside both: such a node would have to run before and after the merged one.
class Clusters {
 public:
  explicit Clusters(const Graph& graph);

  int32_t of(int32_t node) const { return cluster_[static_cast<size_t>(node)]; }
  const std::vector<int32_t>& members(int32_t cluster) const {
    return members_[static_cast<size_t>(cluster)];
  }
  bool can_merge(int32_t a, int32_t b);
  void merge(int32_t a, int32_t b);  // b's members are added to a
  // The clusters in topological order, as close to the nodes' order as possible.
  std::vector<int32_t> order() const;

 private:
  template <class F>
  void for_sources(int32_t cluster, F f) const;  // clusters that this one reads, without itself
  void raise(int32_t cluster, int32_t highest);

  const Graph& graph_;
  std::vector<int32_t> cluster_;
  std::vector<std::vector<int32_t>> members_;  // sorted
  std::vector<std::vector<int32_t>> readers_;  // by node
  // by cluster: the last node among its members and everything they depend on
  std::vector<int32_t> highest_;
  std::vector<int32_t> seen_;  // by cluster: the last search that visited it
  int32_t search_ = 0;
};

}  // namespace stoker::graph
