#pragma once
#include "prelude.cuh"

// Asynchronous copies of BYTES (cp.async); zero-filled outside of the matrix.
template <int BYTES>
__device__ __forceinline__ void fetch(void* to, const void* from, bool inside) {
  const uint32_t at = uint32_t(__cvta_generic_to_shared(to));
  if constexpr (BYTES == 16)
    asm volatile(
        "{ .reg .pred out; setp.eq.s32 out, %2, 0; cp.async.cg.shared.global [%0], [%1], 16, out; "
        "}" ::"r"(at),
        "l"(from), "r"(int(inside))
        : "memory");
  else if constexpr (BYTES >= 4)
    asm volatile(
        "{ .reg .pred out; setp.eq.s32 out, %2, 0; cp.async.ca.shared.global [%0], [%1], %3, out; "
        "}" ::"r"(at),
        "l"(from), "r"(int(inside)), "n"(BYTES)
        : "memory");
  else
    *(uint16_t*)to = inside ? *(const uint16_t*)from : uint16_t(0);
}
__device__ __forceinline__ void end_of_slab() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int STILL_COMING>
__device__ __forceinline__ void wait_for_slab() {
  asm volatile("cp.async.wait_group %0;" ::"n"(STILL_COMING) : "memory");
}
