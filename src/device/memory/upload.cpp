#include "device/memory/upload.h"

#include <cstring>

#include "core/round_up.h"

namespace stoker::device {
namespace {

constexpr uint64_t most_together = uint64_t{256} << 10;  // that is worth a copy on the host first
constexpr int64_t alignment = 256;                       // that of a separate block

Buffer upload(const Device& device, const Array& array, const char* what, MemoryKind kind) {
  Buffer buffer(device, array.bytes(), what, kind);
  buffer.upload(array.raw(), array.bytes());
  return buffer;
}

uint64_t aligned(uint64_t bytes) {
  return static_cast<uint64_t>(round_up(static_cast<int64_t>(bytes), alignment));
}

uint64_t bytes_together(std::span<const Array> arrays) {
  uint64_t end = 0;
  for (const Array& array : arrays) end = aligned(end) + array.bytes();
  return end;
}

std::vector<Buffer> upload_in_one_copy(const Buffer& all, std::span<const Array> arrays) {
  static thread_local std::vector<std::byte> packed;
  packed.resize(all.bytes());
  std::vector<Buffer> parts;
  uint64_t at = 0;
  for (const Array& array : arrays) {
    at = aligned(at);
    if (array.bytes() > 0) std::memcpy(packed.data() + at, array.raw(), array.bytes());
    parts.push_back(all.part(at, array.bytes()));
    at += array.bytes();
  }
  all.upload(packed.data(), packed.size());
  return parts;
}

}  // namespace

std::vector<Buffer> upload_together(const Device& device, std::span<const Array> arrays,
                                    const char* what, MemoryKind kind) {
  const uint64_t bytes = bytes_together(arrays);
  if (arrays.size() > 1 && bytes <= most_together && !device.is_host())
    return upload_in_one_copy(Buffer(device, bytes, what, kind), arrays);
  std::vector<Buffer> buffers;
  for (const Array& array : arrays) buffers.push_back(upload(device, array, what, kind));
  return buffers;
}

}  // namespace stoker::device
