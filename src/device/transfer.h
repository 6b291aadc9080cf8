#pragma once
#include "device/memory/buffer.h"

namespace stoker::device {

// Pinned (page-locked) host memory for asynchronous copies. On a device without it, ordinary
// memory, and copies are synchronous.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(const Device& device, uint64_t bytes);  // throws OutOfMemory
  std::byte* data() const { return static_cast<std::byte*>(memory_.get()); }
  uint64_t bytes() const { return bytes_; }

  // Each starts when `after` is done. Neither side may change until the ticket is done.
  StokerTicket upload(const Buffer& to, uint64_t bytes, StokerTicket after) const;
  StokerTicket download(const Buffer& from, uint64_t offset, uint64_t bytes,
                        StokerTicket after) const;

 private:
  uint64_t bytes_ = 0;
  std::shared_ptr<void> memory_;
};

StokerTicket mark(const Device& device);  // done when all submitted runs are done
void wait(const Device& device, StokerTicket ticket);
bool is_busy(const Device& device);  // with submitted runs
// Time between the completion of two tickets on the device's clock; waits for both. Throws
// Unsupported if the backend has no tickets.
int64_t elapsed_nanoseconds(const Device& device, StokerTicket from, StokerTicket to);

}  // namespace stoker::device
