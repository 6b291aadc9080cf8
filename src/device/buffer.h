#pragma once
#include <cstdint>
#include <memory>

#include "device/backend.h"
#include "stoker/array.h"

namespace stoker::device {

// Memory on a device; copies share it.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Device& device, uint64_t bytes,
         const char* what = "a buffer");  // throws OutOfMemory

  bool defined() const { return memory_ != nullptr; }
  void* data() const { return memory_.get(); }
  uint64_t bytes() const { return bytes_; }
  const Device& device() const { return device_; }

  void upload(const void* host, uint64_t bytes) const;
  void download(void* host, uint64_t bytes) const;
  void fill_from(const Buffer& other) const;

 private:
  Device device_{};
  uint64_t bytes_ = 0;
  std::shared_ptr<void> memory_;
};

Array to_host(const TensorType& type, const Device& device, const void* data);

}  // namespace stoker::device
