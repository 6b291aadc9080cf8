#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace stoker {

// The bytes of live arrays and strings that were allocated inside input pipelines, in any stage,
// buffer or thread.
class PipelineBytes {
 public:
  static PipelineBytes& global();
  void add(int64_t bytes);
  int64_t sum() const;

 private:
  struct alignas(64) Part {  // shared by some of the threads
    std::atomic<int64_t> bytes = 0;
  };
  std::array<Part, 16> parts_;
};

// While it lives, allocations of this thread belong to a pipeline.
class InPipeline {
 public:
  InPipeline() : outer_(here_) { here_ = true; }
  ~InPipeline() { here_ = outer_; }
  InPipeline(const InPipeline&) = delete;
  InPipeline& operator=(const InPipeline&) = delete;
  static bool here() { return here_; }

 private:
  static inline thread_local bool here_ = false;
  const bool outer_;
};

// Host memory, counted if allocated in a pipeline: its resident size. Null: out of memory.
struct HostBlock {
  std::byte* memory = nullptr;
  bool cleared = false;
};
HostBlock take_host(size_t bytes, bool counted);
void give_host(std::byte* memory, size_t bytes, bool counted);
// Not cleared; throws std::bad_alloc.
std::shared_ptr<std::byte> share_host(size_t bytes);

// For containers.
template <class T>
struct HostAllocator {
  using value_type = T;
  HostAllocator() = default;
  template <class U>
  HostAllocator(const HostAllocator<U>& other)
      : counted(other.counted) {}  // NOLINT: as the standard's
  T* allocate(size_t count) {
    std::byte* const memory = take_host(count * sizeof(T), counted).memory;
    if (!memory) throw std::bad_alloc();
    return reinterpret_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) {
    give_host(reinterpret_cast<std::byte*>(memory), count * sizeof(T), counted);
  }
  bool operator==(const HostAllocator& other) const { return counted == other.counted; }

  bool counted = InPipeline::here();
};

}  // namespace stoker
