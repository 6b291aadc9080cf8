#pragma once
#include "graph/passes/backward.h"
#include "graph/rewrite.h"

namespace stoker::graph {

// What the backward pass finds of the forward pass. All else it computes again.
struct Recomputation {
  // 0: the results of costly ops. n: the forward pass is cut into n parts, and what crosses a cut
  // is kept, with the whole of the last part, which the backward pass needs at once.
  int64_t parts = 0;
};

// Those worth trying for this graph, from the one that costs the least work on.
std::vector<Recomputation> recomputations(const Graph& graph);

// Not registered: it runs where it is wanted. The numbers stay the same bit by bit, as the same ops
// run on the same operands; random ones draw by a counter.
Pass recompute_pass(const Recomputation& how);

// By value; of the forward pass's alone.
std::vector<bool> find_kept(const Graph& graph, const Recomputation& how);

}  // namespace stoker::graph
