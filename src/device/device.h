#pragma once
#include <string>

#include "device/backend.h"

namespace stoker::device {

class MemoryAccount;

// Bytes. Reserved memory can be fragmented, and a buffer must be contiguous.
struct FreeMemory {
  int64_t all = 0, largest_piece = 0;
  std::string to_string() const;  // "3.00 MB free, 1.00 MB of it in one piece"
};

// A logical device: owns memory and runs steps. Several may share one physical device.
struct Device {
  const Backend* backend = nullptr;
  int32_t index = 0;                 // the backend's index of it
  MemoryAccount* account = nullptr;  // never destroyed

  const StokerBackend& table() const { return *backend->table; }
  const std::string& name() const;  // "/gpu:0"
  bool is_host() const;             // can the host read its addresses?
  // With a memory limit, `memory` is the limit and `memory_free` what is left of it.
  StokerDevice describe() const;
  StokerDevice describe_whole() const;  // the physical device, shared by all its logical devices
  FreeMemory free_memory() const;
  std::string memory_holders() const { return table().memory_holders(index); }
  bool shares_memory_with(const Device& other) const {
    return backend == other.backend && index == other.index;
  }
  bool operator==(const Device&) const = default;
};

// Throws DeviceError with the backend's message unless status is 0.
void check(const Device& device, int32_t status, const char* doing);

}  // namespace stoker::device
