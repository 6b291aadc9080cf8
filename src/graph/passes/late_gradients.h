#pragma once
#include "graph/graph.h"

namespace stoker::graph {

// By node: gradient nodes that depend on the forward pass alone, such as the 1 - y·y of tanh's
// derivative, and that should be computed in the backward pass. Fused into the forward pass they
// would be one more value to keep in memory; computed late, they need only what they read, which
// may be kept anyway.
std::vector<bool> find_late_gradients(const Graph& graph, const std::vector<bool>& fusible);

}  // namespace stoker::graph
