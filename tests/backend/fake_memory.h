#pragma once
#include <cstdint>
#include <map>

namespace stoker::fake {

// Addresses that fault when the program accesses them, and their actual bytes: a second region at a
// constant distance.
class FakeMemory {
 public:
  FakeMemory();
  void* allocate(uint64_t bytes, uint64_t limit);  // null: out of memory
  void deallocate(void* address);
  uint64_t used() const { return used_; }
  bool owns(const void* address) const;
  // The bytes for a device address.
  template <class T>
  T* behind(T* address) const {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(address) + size_);
  }

 private:
  static constexpr uint64_t size_ = uint64_t{1} << 32;
  std::byte* base_;
  uint64_t used_ = 0;
  std::map<uint64_t, uint64_t> pieces_;  // offset → bytes
};

}  // namespace stoker::fake
