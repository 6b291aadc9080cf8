#include "device/host_rows.h"

namespace stoker::device {

bool HostRows::possible(const Device& device) {
  return device.table().pin && device.table().copy_async;
}

std::optional<HostRows> HostRows::pin(const Device& device, const Array& array) {
  const void* on_device = nullptr;
  if (device.table().pin(device.index, array.raw(), array.bytes(), &on_device) != 0)
    return std::nullopt;
  return HostRows(device, array, on_device);
}

HostRows::HostRows(const Device& device, Array array, const void* on_device)
    : device_(device),
      array_(std::move(array)),
      on_device_(on_device),
      pinned_(array_.raw(), [device, kept = array_](const void* memory) {
        device.table().unpin(device.index, memory);
      }) {}

StokerTicket HostRows::gather(const Buffer& to, const Buffer& indices, int64_t count,
                              StokerTicket after) const {
  const StokerRows rows{on_device_, array_.row_bytes(), static_cast<const int64_t*>(indices.data()),
                        count};
  StokerTicket ticket = 0;
  check(device_, device_.table().gather_async(device_.index, to.data(), &rows, after, &ticket),
        "gathering rows from host memory");
  return ticket;
}

}  // namespace stoker::device
