#pragma once
#include "device/memory/buffer.h"

namespace stoker::device {

// Memory of the host that a device can copy to and from while it works on something else. Where it
// has no such memory, ordinary memory, and copies are done when they return.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(const Device& device, uint64_t bytes);  // throws OutOfMemory
  std::byte* data() const { return static_cast<std::byte*>(memory_.get()); }
  uint64_t bytes() const { return bytes_; }

  // Each begins when `after` is done. Neither side may be changed before the ticket is done.
  StokerTicket upload(const Buffer& to, uint64_t bytes, StokerTicket after) const;
  StokerTicket download(const Buffer& from, uint64_t offset, uint64_t bytes,
                        StokerTicket after) const;

 private:
  uint64_t bytes_ = 0;
  std::shared_ptr<void> memory_;
};

StokerTicket mark(const Device& device);  // of all that it was given to run
void wait(const Device& device, StokerTicket ticket);
bool is_busy(const Device& device);  // with something that it was given to run
// From when one was done until the other was, on the device's clock; waits for both. Throws
// Unsupported where the backend has no tickets.
int64_t elapsed_nanoseconds(const Device& device, StokerTicket from, StokerTicket to);

}  // namespace stoker::device
