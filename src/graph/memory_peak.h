#pragma once
#include "graph/memory_plan.h"

namespace stoker::graph {

// The contents of the arena at the node with the highest use. The three numbers add up to the
// arena's size; gaps in the layout count as workspace.
struct MemoryPeak {
  int32_t node = 0;
  int64_t gradients = 0;  // of the states that the step trains
  int64_t activations = 0, workspace = 0;
};
MemoryPeak find_peak(const Graph& graph, const MemoryPlan& plan);

// Arena bytes in use while each node runs.
std::vector<MemoryPeak> memory_by_node(const Graph& graph, const MemoryPlan& plan);

}  // namespace stoker::graph
