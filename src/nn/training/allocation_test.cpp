#include <atomic>
#include <cstdlib>
#include <new>

#include "nn/test_models.h"
#include "stoker/device.h"

// Sanitizers replace operator new. g++ and clang name them differently.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STOKER_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STOKER_SANITIZED
#endif
#endif
#ifndef STOKER_SANITIZED

// Inlined, the pairs below look mismatched to the compiler.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

static std::atomic<int64_t> allocations{0};

void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto align = static_cast<size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace stoker {
namespace {

using namespace test;

// On the CPU; allocations by the GPU driver are counted in tests/cuda_fit_test.cpp.
TEST(Allocation, AStepAllocatesNothing) {
  const Device host("/cpu:0");
  for (bool shuffle : {true, false}) {
    auto model = classifier();
    const auto data = samples(640);
    const auto allocated = [&](int64_t steps) {
      const int64_t before = allocations;
      model.fit(data.x, data.y,
                {.batch_size = 8, .verbose = 0, .shuffle = shuffle, .steps_per_epoch = steps});
      return allocations - before;
    };
    allocated(1);  // traces and compiles
    const int64_t few = allocated(10), many = allocated(70);
    EXPECT_GT(few, 0);
    EXPECT_LE(many - few, 2);  // the closing line may need a longer string
  }
}

}  // namespace
}  // namespace stoker

#endif
