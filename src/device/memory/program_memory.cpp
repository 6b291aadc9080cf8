#include "device/memory/program_memory.h"

#include <utility>

namespace stoker::device {

// No exception may cross the backend's C interface: it is kept in `refused_`.
void* ProgramMemory::take(void* self, uint64_t bytes, const char* what) {
  auto& memory = *static_cast<ProgramMemory*>(self);
  try {
    const Buffer buffer(memory.device_, bytes, what, MemoryKind::inputs);
    memory.taken_[buffer.data()] = buffer;
    memory.refused_ = nullptr;  // after a failure the program may ask for less
    return buffer.data();
  } catch (...) {
    memory.refused_ = std::current_exception();
    return nullptr;
  }
}

void ProgramMemory::give(void* self, void* memory) {
  static_cast<ProgramMemory*>(self)->taken_.erase(memory);
}

void ProgramMemory::rethrow() {
  if (const auto refused = std::exchange(refused_, nullptr)) std::rethrow_exception(refused);
}

}  // namespace stoker::device
