#pragma once
#include "prelude.cuh"

// Copies BYTES (8 or 16) into shared memory asynchronously (cp.async); zeros if the source does not
// exist.
template <int BYTES>
__device__ __forceinline__ void fetch(void* to, const void* from, bool inside) {
  const uint32_t place = uint32_t(__cvta_generic_to_shared(to));
  if constexpr (BYTES == 16)  // bypasses the L1 cache
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from),
                 "r"(inside ? 16 : 0)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(place), "l"(from),
                 "n"(BYTES), "r"(inside ? BYTES : 0)
                 : "memory");
}
__device__ __forceinline__ void end_of_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int STILL_COMING>
__device__ __forceinline__ void wait_for_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(STILL_COMING) : "memory");
}
