#pragma once
#include "prelude.cuh"

// Ties go to the first; NaN is never larger, and stays only if it comes first.
typedef Compute<element_t>::type value_t;
extern "C" __global__ void __launch_bounds__(256)
    argmax(const element_t* in, int64_t* out, int64_t outputs, int64_t length, int64_t inner) {
  begin_kernel();
  const int lane = threadIdx.x % lanes;
  const int64_t o = blockIdx.x * int64_t(256 / lanes) + threadIdx.x / lanes;
  const bool runs = o < outputs;
  const element_t* x = in + (runs ? o / inner * length * inner + o % inner : 0);
  const value_t first = runs ? load(x[0]) : value_t(0);
  value_t best = first;
  int64_t at = 0;
  for (int64_t i = lane; runs && i < length; i += lanes) {
    const value_t v = load(x[i * inner]);
    if (v > best) {
      best = v;
      at = i;
    }
  }
  for (int d = lanes / 2; d > 0; d /= 2) {
    const value_t v = __shfl_xor_sync(0xffffffffu, best, d);
    const int64_t i = __shfl_xor_sync(0xffffffffu, at, d);
    if (v > best || (v == best && i < at)) {
      best = v;
      at = i;
    }
  }
  if (runs && lane == 0) out[o] = first != first ? 0 : at;
}
