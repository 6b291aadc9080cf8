#pragma once
#include "graph/passes/backward.h"
#include "graph/rewrite.h"

namespace stoker::graph {

// Which values of the forward pass are kept for the backward pass. The others are recomputed.
struct Recomputation {
  // 0: keep the results of expensive ops. n: cut the forward pass into n parts, and keep the values
  // that cross a cut, and all of the last part, which the backward pass needs first.
  int64_t parts = 0;
};

// The variants worth trying for this graph, from the least extra work on.
std::vector<Recomputation> recomputations(const Graph& graph);

// Not registered: runs on request. Results are bit-identical, as the same ops run on the same
// operands; random numbers are counter-based.
Pass recompute_pass(const Recomputation& how);

// By value, of the forward pass only.
std::vector<bool> find_kept(const Graph& graph, const Recomputation& how);

}  // namespace stoker::graph
