#pragma once
#include "graph/memory_plan.h"

namespace stoker::graph {

// What the arena holds at the node that needs most of it. The three add up to the arena's bytes;
// gaps that the layout leaves count as workspace.
struct MemoryPeak {
  int32_t node = 0;
  int64_t gradients = 0;  // of the states that the step trains
  int64_t activations = 0, workspace = 0;
};
MemoryPeak find_peak(const Graph& graph, const MemoryPlan& plan);

// What is in use of the arena while each node runs; the rest of it is free then.
std::vector<MemoryPeak> memory_by_node(const Graph& graph, const MemoryPlan& plan);

}  // namespace stoker::graph
