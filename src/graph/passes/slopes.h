#pragma once
#include "graph/graph.h"

namespace stoker::graph {

// By node: backward nodes that depend on the forward pass alone, such as the 1 - y·y of tanh, and
// are better left to the backward pass. Fused into the forward pass they would be one more value to
// keep; left, they cost what they read, unless that is kept anyway.
std::vector<bool> find_late_slopes(const Graph& graph, const std::vector<bool>& fusible);

}  // namespace stoker::graph
