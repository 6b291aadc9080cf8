#pragma once
#include "prelude.cuh"

extern "C" __global__ void __launch_bounds__(256)
    one_hot(const index_t* indices, element_t* out, int64_t size, int64_t depth) {
  begin_kernel();
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i < size) out[i] = store<element_t>(int64_t(indices[i / depth]) == i % depth ? 1 : 0);
}
