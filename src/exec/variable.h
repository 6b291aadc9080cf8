#pragma once
#include <functional>
#include <optional>

#include "device/memory/buffer.h"
#include "graph/graph.h"

namespace stoker::exec {

// A variable's memory. It is allocated on first use, so that a model can be built and summarised
// quickly. It is on the device of the scope in which the variable was made; a step compiled for
// another device moves it there.
struct VariableState : graph::State {
  std::function<Array()> initial;
  device::Buffer buffer;
  device::MemoryKind kind = device::MemoryKind::other;
  std::optional<device::Device> home;
  int pins = 0;  // running steps that use its address

  const device::Buffer& memory();  // allocates and initialises it if necessary
  const device::Buffer& move_to(const device::Device& device);
  Array value();  // without allocating device memory
};

// Every state is a variable's.
inline VariableState& memory_of(graph::State& state) { return static_cast<VariableState&>(state); }

// Puts the scalars among them that have no memory yet into one allocation, so that one copy fetches
// all their values.
void place_scalars(const std::vector<std::shared_ptr<graph::State>>& states,
                   const device::Device& device);

}  // namespace stoker::exec
