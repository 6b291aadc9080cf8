#pragma once
#include <cstdint>
#include <memory>

#include "device/device.h"
#include "device/memory/memory_account.h"
#include "stoker/array.h"

namespace stoker::device {

// Memory on a device; copies share it.
class Buffer {
 public:
  Buffer() = default;
  // Throws OutOfMemory. `what` is for that message, the kind for the device's account.
  Buffer(const Device& device, uint64_t bytes, const char* what = "a buffer",
         MemoryKind kind = MemoryKind::other, uint64_t workspace = 0);

  bool defined() const { return memory_ != nullptr; }
  void* data() const { return memory_.get(); }
  uint64_t bytes() const { return bytes_; }
  const Device& device() const { return device_; }
  // So many bytes of it, which keep all of it alive.
  Buffer part(uint64_t offset, uint64_t bytes) const;
  bool shares_memory_with(const Buffer& other) const;  // both are parts of one, or the same

  void upload(const void* host, uint64_t bytes) const;
  // The same while the device works on something else; nothing that runs may use this buffer.
  void upload_idle(const void* host, uint64_t bytes) const;
  void download(void* host, uint64_t bytes) const;
  void fill_from(const Buffer& other) const;  // from any device

 private:
  Device device_{};
  uint64_t bytes_ = 0;
  std::shared_ptr<void> memory_;
};

Array to_host(const TensorType& type, const Device& device, const void* data);

}  // namespace stoker::device
