#pragma once
#include <exception>
#include <map>

#include "device/memory/buffer.h"

namespace stoker::device {

// Memory that a backend's programs allocate themselves, such as slots for inputs that move; booked
// on the device's account as inputs. Must outlive the programs, which use it from one thread at a
// time.
class ProgramMemory {
 public:
  explicit ProgramMemory(const Device& device)
      : device_(device), allocator_{this, &ProgramMemory::take, &ProgramMemory::give} {}
  ProgramMemory(const ProgramMemory&) = delete;
  ProgramMemory& operator=(const ProgramMemory&) = delete;

  const StokerAllocator* allocator() const { return &allocator_; }
  // After a program has failed: throws OutOfMemory if the reason was lack of memory.
  void rethrow();

 private:
  static void* take(void* self, uint64_t bytes, const char* what);
  static void give(void* self, void* memory);

  Device device_;
  StokerAllocator allocator_;
  std::map<void*, Buffer> taken_;
  std::exception_ptr refused_;
};

}  // namespace stoker::device
