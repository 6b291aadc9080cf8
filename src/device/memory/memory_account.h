#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "device/memory/reserved_memory.h"
#include "stoker/device.h"

namespace stoker::device {

struct Device;

// What a buffer's bytes are used for.
enum class MemoryKind { parameters, optimizer, activations, workspace, inputs, other };
inline constexpr size_t memory_kinds = 6;

// Bytes by use. An arena is activations and workspace at once.
struct MemoryParts {
  std::array<int64_t, memory_kinds> bytes{};
  MemoryParts() = default;
  MemoryParts(MemoryKind kind, uint64_t all, uint64_t workspace = 0);
  int64_t total() const;
};

// Tracks what a logical device's memory is used for, and enforces its limit.
class MemoryAccount {
 public:
  // limit 0: unlimited.
  MemoryAccount(std::string name, std::string kind, int64_t limit);

  const std::string& name() const { return name_; }  // "/gpu:0"
  const std::string& kind() const { return kind_; }  // "GPU"
  int64_t limit() const { return limit_; }

  // Null if the limit or the device does not allow it; `why` is the device's message.
  void* allocate(const Device& device, uint64_t bytes, const MemoryParts& parts, std::string& why);
  void deallocate(const Device& device, void* memory, const MemoryParts& parts);

  // Allocates that much at once; later allocations come from it. Throws OutOfMemory.
  void reserve(const Device& device, uint64_t bytes);
  void give_back(const Device& device);  // the reserved block, if unused
  // sets memory and free memory from the limit and the reserved block
  void apply_limit(StokerDevice& described) const;
  uint64_t largest_piece(uint64_t free) const;  // contiguous, of `free` bytes
  std::string holdings() const;                 // "parameters 12 MB, activations 3 MB"

  MemoryInfo info() const;
  void reset_peaks();

 private:
  struct Count {
    int64_t current = 0, peak = 0;
    void add(int64_t bytes);
  };
  void* take(const Device& device, uint64_t bytes, std::string& why);
  bool give_to_reserved(void* memory);  // false: no reserved block

  const std::string name_, kind_;
  const int64_t limit_;
  mutable std::mutex guard_;
  Count total_;
  std::array<Count, memory_kinds> by_kind_;
  std::unique_ptr<ReservedMemory> reserved_;
};

}  // namespace stoker::device
