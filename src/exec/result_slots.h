#pragma once
#include <vector>

#include "device/memory/buffer.h"

namespace stoker::exec {

// Memory for the results of a step that writes them where it is told, run after run. A GPU has a
// graph recorded for the addresses that it was given, so they stay the same: what the caller of an
// earlier run has let go of is used again. While he holds it the step writes to memory that nobody
// is given, and he gets a copy.
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
