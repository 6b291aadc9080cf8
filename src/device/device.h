#pragma once
#include <string>

#include "device/backend.h"

namespace stoker::device {

class MemoryAccount;

// Bytes; what was reserved can be free in several pieces, and one buffer needs one.
struct FreeMemory {
  int64_t all = 0, largest_piece = 0;
  std::string to_string() const;  // "3.00 MB free, 1.00 MB of it in one piece"
};

// A logical device: where memory lives and steps run. Several may share one device of a backend.
struct Device {
  const Backend* backend = nullptr;
  int32_t index = 0;                 // the backend's number of it
  MemoryAccount* account = nullptr;  // lives for ever

  const StokerBackend& table() const { return *backend->table; }
  const std::string& name() const;  // "/gpu:0"
  bool is_host() const;             // are its addresses the program's own?
  // With a memory limit, its memory is that much, and free is what is left of it.
  StokerDevice describe() const;
  StokerDevice describe_whole() const;  // all logical devices that share it together
  FreeMemory free_memory() const;
  std::string memory_holders() const { return table().memory_holders(index); }
  bool shares_memory_with(const Device& other) const {
    return backend == other.backend && index == other.index;
  }
  bool operator==(const Device&) const = default;
};

// Throws DeviceError with the backend's own sentence unless status is 0.
void check(const Device& device, int32_t status, const char* doing);

}  // namespace stoker::device
