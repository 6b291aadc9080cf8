#pragma once
#include <functional>
#include <optional>

#include "device/memory/buffer.h"
#include "graph/graph.h"

namespace stoker::exec {

// A variable's memory. It is filled on first use, so that a model can be built and summarised at
// once. Its home is the device of the scope it was made in; a step that is compiled for another
// takes it there.
struct VariableState : graph::State {
  std::function<Array()> initial;
  device::Buffer buffer;
  device::MemoryKind kind = device::MemoryKind::other;
  std::optional<device::Device> home;
  int pins = 0;  // running steps that know its address

  const device::Buffer& memory();  // where it is; allocates and initialises if need be
  const device::Buffer& move_to(const device::Device& device);
  Array value();  // without giving it memory on a device
};

// Every state is a variable's.
inline VariableState& memory_of(graph::State& state) { return static_cast<VariableState&>(state); }

// Gives the scalars among them that have no memory yet one piece of the device's, so that their
// values come to the host in one copy.
void place_scalars(const std::vector<std::shared_ptr<graph::State>>& states,
                   const device::Device& device);

}  // namespace stoker::exec
