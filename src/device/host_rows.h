#pragma once
#include <optional>

#include "device/transfer.h"

namespace stoker::device {

// An array of the program, page-locked while this object lives: a device reads its rows directly
// (zero copy).
class HostRows {
 public:
  static bool possible(const Device& device);  // does the device support it?
  // Nothing if the operating system refuses to lock the memory.
  static std::optional<HostRows> pin(const Device& device, const Array& array);

  // Starts when `after` is done; the array must not change until the returned ticket is done.
  StokerTicket gather(const Buffer& to, const Buffer& indices, int64_t count,
                      StokerTicket after) const;

 private:
  HostRows(const Device& device, Array array, const void* on_device);
  Device device_;
  Array array_;
  const void* on_device_;
  std::shared_ptr<const void> pinned_;
};

}  // namespace stoker::device
