#pragma once
#include <functional>
#include <vector>

#include "exec/step_plan.h"

namespace stoker::exec {

// Nodes in a row that a step's device refuses, on the CPU: what they read comes over, they run, and
// what others read of them goes back.
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
  void copy(const Transfer& transfer, void* const* inputs, StokerCopyKind kind) const;

  device::Device device_, host_;
  device::Buffer staging_;
  std::vector<Transfer> in_, out_;
  void* program_ = nullptr;
};

}  // namespace stoker::exec
