#pragma once
#include "graph/graph.h"

// Which nodes a tape has added.
namespace stoker::graph {

bool is_backward(const Node& node);
std::vector<bool> find_forward(const Graph& graph);  // by node: before the first backward one
// By node: on the way back from the loss. Other backward nodes, such as the 1 - y of a sigmoid's
// slope, depend on the forward pass alone.
std::vector<bool> find_gradient_flow(const Graph& graph);

}  // namespace stoker::graph
