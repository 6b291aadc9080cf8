#pragma once
#include "prelude.cuh"

extern "C" __global__ void __launch_bounds__(256)
    pad(const element_t* in, element_t* out, int64_t size) {
  begin_kernel();
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= size) return;
  int64_t rest = i, at = 0;
  bool inside = true;
#pragma unroll
  for (int d = rank - 1; d >= 0; --d) {
    const int64_t c = rest % out_dims[d] - before[d];
    rest /= out_dims[d];
    at += c * in_strides[d];
    inside = inside && c >= 0 && c < in_dims[d];
  }
  element_t x = element_t();
  if (inside) x = in[at];
  out[i] = x;
}
