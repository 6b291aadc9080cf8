#pragma once
#include <atomic>
#include <optional>

#include "device/transfer.h"

namespace stoker::device {

// An array of the program's, page-locked while this lives: a device reads its rows by itself.
class HostRows {
 public:
  static bool possible(const Device& device);      // is it a device that can?
  static inline std::atomic<bool> allowed = true;  // false: as if there were none, for comparisons
  // Nothing: the system does not lock that memory.
  static std::optional<HostRows> pin(const Device& device, const Array& array);

  // Begins when `after` is done; the array must stay as it is until the ticket is.
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
