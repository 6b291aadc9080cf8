#pragma once
#include "common/last_block.cuh"
#include "common/vectors.cuh"

// Integers wrap around; NaN propagates.
__device__ __forceinline__ sum_t join(sum_t a, sum_t b) {
  if (is_max) return b > a || b != b ? b : a;
  if (is_min) return b < a || b != b ? b : a;
  return is_integer ? sum_t(uint64_t(a) + uint64_t(b)) : a + b;
}
