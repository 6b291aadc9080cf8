#pragma once
#include <vector>

#include "device/memory/buffer.h"

namespace stoker::exec {

// Memory for the results of a step that writes them to given addresses. A GPU captures a graph per
// address, so the addresses are reused: when the caller has released the result of an earlier run,
// its memory is used again. While the caller holds it, the step writes to memory of its own, and
// the caller gets a copy.
class ResultSlots {
 public:
  void add(const device::Device& device, uint64_t bytes) { slots_.push_back({device, bytes}); }
  size_t size() const { return slots_.size(); }
  void* begin_run(size_t i);         // where the next run writes result i
  device::Buffer end_run(size_t i);  // the result, for the caller

 private:
  struct Slot {
    device::Device device;
    uint64_t bytes;
    device::Buffer given, kept;
    bool writes_given = false;
  };
  std::vector<Slot> slots_;
};

}  // namespace stoker::exec
