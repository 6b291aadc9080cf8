#pragma once
#include <vector>

#include "graph/graph.h"

// What passes and plans ask of a graph's values.
namespace stoker::graph {

inline size_t index_of(int32_t value_or_node) { return static_cast<size_t>(value_or_node); }

// By value: the value whose memory it is. Views have that of what they look at.
std::vector<ValueId> view_roots(const Graph& graph);

// By value: the numbers of the nodes that read it, in their order, twice where one reads it twice.
std::vector<std::vector<int32_t>> readers_of_values(const Graph& graph);
// By node: those that read one of its results.
std::vector<std::vector<int32_t>> readers_of_nodes(const Graph& graph);

}  // namespace stoker::graph
