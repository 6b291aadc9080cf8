#pragma once
#include <string>

#include "graph/graph.h"

namespace stoker::nn {

// A step as a tensorflow.GraphDef for TensorBoard's graph page: inputs, variables, and each node
// under its layer's path, with the shapes of its outputs.
std::string graph_def(const graph::Graph& graph);

}  // namespace stoker::nn
