#pragma once
#include <vector>

#include "graph/memory_plan.h"

namespace stoker::graph {

// What a step does, in order: its nodes without the views, then the copies of the memory plan.
struct Call {
  int32_t node = -1, copy = -1;  // one of them
  // Earlier calls that must be done before this one starts. They alone order a step: whatever else
  // may run at the same time. None is named that another one of them waits for.
  std::vector<int32_t> after = {};
  // And of the step before, if values have twins: then only states tie one step to the next.
  std::vector<int32_t> after_previous = {};
};

// Of the nodes in [first, last); the copies come with the last one. Side by side: from the memory
// that they read and write, that is true dependencies and memory that one gives to another.
// Otherwise each waits for the one before it.
std::vector<Call> order_calls(const Graph& graph, const MemoryPlan& plan, size_t first, size_t last,
                              bool side_by_side);

}  // namespace stoker::graph
