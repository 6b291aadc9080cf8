#pragma once
#include <cstdint>
#include <memory>

#include "device/device.h"
#include "device/memory/memory_account.h"
#include "stoker/array.h"

namespace stoker::device {

// Device memory with shared ownership.
class Buffer {
 public:
  Buffer() = default;
  // Throws OutOfMemory, whose message names `what`; `kind` is the category in the device's memory
  // account.
  Buffer(const Device& device, uint64_t bytes, const char* what = "a buffer",
         MemoryKind kind = MemoryKind::other, uint64_t workspace = 0);

  bool defined() const { return memory_ != nullptr; }
  void* data() const { return memory_.get(); }
  uint64_t bytes() const { return bytes_; }
  const Device& device() const { return device_; }
  // A slice that keeps the whole buffer alive.
  Buffer part(uint64_t offset, uint64_t bytes) const;
  bool shares_memory_with(const Buffer& other) const;         // the same buffer, or slices of one
  bool is_shared() const { return memory_.use_count() > 1; }  // it has other owners

  void upload(const void* host, uint64_t bytes) const;
  // The same, asynchronously to running work, which must not use this buffer.
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
