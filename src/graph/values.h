#pragma once
#include <vector>

#include "graph/graph.h"

// Queries about a graph's values, for passes and plans.
namespace stoker::graph {

inline size_t index_of(int32_t value_or_node) { return static_cast<size_t>(value_or_node); }

// By value: the value whose memory it uses; for a view its source.
std::vector<ValueId> view_roots(const Graph& graph);

// By value: the indices of the nodes that read it, in order; twice if a node reads it twice.
std::vector<std::vector<int32_t>> readers_of_values(const Graph& graph);
// By node: the nodes that read one of its results.
std::vector<std::vector<int32_t>> readers_of_nodes(const Graph& graph);

}  // namespace stoker::graph
