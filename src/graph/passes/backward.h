#pragma once
#include "graph/graph.h"

// Which nodes belong to the backward pass.
namespace stoker::graph {

bool is_backward(const Node& node);
std::vector<bool> find_forward(const Graph& graph);  // by node: before the first backward one
// By node: on the path of backpropagation from the loss. Other backward nodes, such as the 1 - y of
// a sigmoid's derivative, depend on the forward pass alone.
std::vector<bool> find_gradient_flow(const Graph& graph);

}  // namespace stoker::graph
