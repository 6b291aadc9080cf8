#pragma once
#include <functional>

#include "device/buffer.h"
#include "graph/graph.h"

namespace stoker::exec {

// A variable's memory. It is filled on first use, so that a model can be built and summarised at
// once.
struct VariableState : graph::State {
  std::function<Array()> initial;
  device::Buffer buffer;

  const device::Buffer& memory();  // allocates and initialises if that has not happened
};

VariableState& memory_of(graph::State& state);

}  // namespace stoker::exec
