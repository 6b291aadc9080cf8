#pragma once
#include <vector>

#include "graph/graph.h"

namespace stoker::graph {

// Nodes gathered into clusters that will run as one. Two may be merged only if nothing outside both
// lies on a path between them: such a node would have to run before and after the merged one.
class Clusters {
 public:
  explicit Clusters(const Graph& graph);

  int32_t of(int32_t node) const { return cluster_[static_cast<size_t>(node)]; }
  const std::vector<int32_t>& members(int32_t cluster) const {
    return members_[static_cast<size_t>(cluster)];
  }
  bool can_merge(int32_t a, int32_t b);
  void merge(int32_t a, int32_t b);  // b's members join a
  // Clusters in an order in which they can run, as close to the nodes' order as possible.
  std::vector<int32_t> order() const;

 private:
  template <class F>
  void for_sources(int32_t cluster, F f) const;  // clusters that this one reads, itself left out
  void raise(int32_t cluster, int32_t highest);

  const Graph& graph_;
  std::vector<int32_t> cluster_;
  std::vector<std::vector<int32_t>> members_;  // sorted
  std::vector<std::vector<int32_t>> readers_;  // by node
  std::vector<int32_t> highest_;  // by cluster: the last node of it and of all it depends on
  std::vector<int32_t> seen_;     // by cluster: which search was here last
  int32_t search_ = 0;
};

}  // namespace stoker::graph
