#pragma once
#include <vector>

#include "graph/memory_plan.h"

namespace stoker::graph {

// The calls of a step, in order: its nodes without the views, then the state copies of the memory
// plan.
struct Call {
  int32_t node = -1, copy = -1;  // exactly one of them is set
  // Earlier calls that must have finished before this one starts: the only ordering constraints of
  // a step. Transitively implied ones are left out.
  std::vector<int32_t> after = {};
  // The same for calls of the previous step, if the arena is a double buffer: then a step depends
  // on the previous one by states only.
  std::vector<int32_t> after_previous = {};
};

// The calls of the nodes in [first, last); the state copies belong to the last range. Concurrent:
// ordered by the memory that they read and write, that is by true dependencies and by reuse of
// memory. Otherwise each call waits for the previous one, except all-reduces, which run
// concurrently with the others.
std::vector<Call> order_calls(const Graph& graph, const MemoryPlan& plan, size_t first, size_t last,
                              bool side_by_side);

}  // namespace stoker::graph
