#pragma once
#include <functional>
#include <vector>

#include "device/memory/program_memory.h"
#include "exec/step_plan.h"

namespace stoker::exec {

// Consecutive nodes that a step's device refuses, run on the CPU: their inputs are copied to the
// host, they run, and results that other nodes read are copied back.
class HostPiece {
 public:
  using PointerOf = std::function<StokerPointer(graph::ValueId)>;  // on the device
  HostPiece(const StepPlan& plan, size_t first, size_t last, const PointerOf& pointer);
  ~HostPiece();
  HostPiece(const HostPiece&) = delete;
  HostPiece& operator=(const HostPiece&) = delete;

  void run(void* const* inputs) const;

 private:
  struct Transfer {
    StokerPointer device;
    std::byte* host;
    uint64_t bytes;
  };
  // Calls of nodes whose values are in the staging memory.
  void create_program(const StepPlan& plan, const std::vector<size_t>& nodes,
                      const std::vector<void*>& workspaces,
                      const std::function<std::byte*(graph::ValueId)>& at);
  void copy(const Transfer& transfer, void* const* inputs, StokerCopyKind kind) const;

  device::Device device_, host_;
  device::Buffer staging_;
  device::ProgramMemory memory_;
  std::vector<Transfer> in_, out_;
  void* program_ = nullptr;
};

}  // namespace stoker::exec
