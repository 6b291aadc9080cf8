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
};

// From the memory that the nodes in [first, last) read and write: true dependencies, and memory
// that one gives to another. The copies come with the last node.
std::vector<Call> order_calls(const Graph& graph, const MemoryPlan& plan, size_t first,
                              size_t last);

}  // namespace stoker::graph
