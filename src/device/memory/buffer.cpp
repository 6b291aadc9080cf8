#include "device/memory/buffer.h"

#include <fmt/format.h>

#include <vector>

namespace stoker::device {

namespace {

[[noreturn]] void fail(const Device& device, uint64_t bytes, const char* what,
                       const std::string& why) {
  const StokerDevice described = device.describe();
  const uint64_t piece = device.account->largest_piece(described.memory_free);
  throw OutOfMemory(
      fmt::format(
          "{} cannot hold {} of {} bytes: {} of {} bytes are free{}{}. This "
          "program holds {}.",
          device.name(), what, bytes, described.memory_free, described.memory,
          piece < described.memory_free ? fmt::format(", {} of them in one piece", piece) : "",
          why.empty() ? "" : ": " + why, device.account->holdings()),
      "use a smaller batch or a smaller model.");
}

}  // namespace

Buffer::Buffer(const Device& device, uint64_t bytes, const char* what, MemoryKind kind,
               uint64_t workspace)
    : device_(device), bytes_(bytes) {
  const MemoryParts parts(kind, bytes, workspace);
  std::string why;
  void* memory = device.account->allocate(device, bytes, parts, why);
  if (!memory) fail(device, bytes, what, why);
  memory_ = {memory, [device, parts](void* p) { device.account->deallocate(device, p, parts); }};
}

Buffer Buffer::part(uint64_t offset, uint64_t bytes) const {
  Buffer part = *this;
  part.bytes_ = bytes;
  part.memory_ = {memory_, static_cast<std::byte*>(data()) + offset};
  return part;
}
bool Buffer::shares_memory_with(const Buffer& other) const {
  return !memory_.owner_before(other.memory_) && !other.memory_.owner_before(memory_);
}

void Buffer::upload(const void* host, uint64_t bytes) const {
  check(device_, device_.table().copy(device_.index, data(), host, bytes, stoker_host_to_device),
        "copying to the device");
}
void Buffer::upload_idle(const void* host, uint64_t bytes) const {
  check(device_,
        device_.table().copy(device_.index, data(), host, bytes, stoker_host_to_idle_device),
        "copying to the device");
}
void Buffer::download(void* host, uint64_t bytes) const {
  check(device_, device_.table().copy(device_.index, host, data(), bytes, stoker_device_to_host),
        "copying to the host");
}
void Buffer::fill_from(const Buffer& other) const {
  if (!device_.shares_memory_with(other.device_)) {
    std::vector<std::byte> on_host(bytes_);
    other.download(on_host.data(), bytes_);
    return upload(on_host.data(), bytes_);
  }
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
