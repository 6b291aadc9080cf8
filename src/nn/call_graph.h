#pragma once
#include "nn/functional.h"

namespace stoker::nn {

// The calls on the paths from the inputs to the outputs.
struct CallGraph {
  FunctionalNetwork::Calls calls;                    // in topological order
  std::vector<FunctionalNetwork::Calls> operations;  // by layer, in Keras's order of the layers
};
CallGraph map_graph(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs);

}  // namespace stoker::nn
