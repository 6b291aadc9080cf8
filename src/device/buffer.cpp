#include "device/buffer.h"

#include <fmt/format.h>

#include <algorithm>

namespace stoker::device {

Buffer::Buffer(const Device& device, uint64_t bytes, const char* what)
    : device_(device), bytes_(bytes) {
  void* memory = device.table().allocate(device.index, std::max<uint64_t>(bytes, 1));
  if (!memory) {
    const StokerDevice described = device.describe();
    throw OutOfMemory(
        fmt::format("{} cannot hold {} of {} bytes: {} of {} bytes are free.", device.name(), what,
                    bytes, described.memory_free, described.memory),
        "use a smaller batch or a smaller model.");
  }
  memory_ = {memory, [device](void* p) { device.table().deallocate(device.index, p); }};
}

void Buffer::upload(const void* host, uint64_t bytes) const {
  check(device_, device_.table().copy(device_.index, data(), host, bytes, stoker_host_to_device),
        "copying to the device");
}
void Buffer::download(void* host, uint64_t bytes) const {
  check(device_, device_.table().copy(device_.index, host, data(), bytes, stoker_device_to_host),
        "copying to the host");
}
void Buffer::fill_from(const Buffer& other) const {
  check(device_,
        device_.table().copy(device_.index, data(), other.data(), bytes_, stoker_device_to_device),
        "copying");
}

Array to_host(const TensorType& type, const Device& device, const void* data) {
  Array array(type.dtype, type.shape);
  check(device,
        device.table().copy(device.index, array.mutable_raw(), data, array.bytes(),
                            stoker_device_to_host),
        "copying to the host");
  return array;
}

}  // namespace stoker::device
