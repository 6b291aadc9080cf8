#pragma once
#include "prelude.cuh"

template <class U, int n>
__device__ __forceinline__ void move_unit(const U* from, U* to, index_t i) {
  const index_t e = i * n;
  to[to_at(e) / n] = from[from_at(e) / n];
}
extern "C" __global__ void __launch_bounds__(256)
    move(const char* from, char* to, int64_t items, int whole) {
  begin_kernel();
  const index_t i = index_t(blockIdx.x) * 256 + index_t(threadIdx.x);
  if (i >= index_t(items)) return;
  if (whole)
    move_unit<wide_t, width>(reinterpret_cast<const wide_t*>(from), reinterpret_cast<wide_t*>(to),
                             i);
  else
    move_unit<unit_t, 1>(reinterpret_cast<const unit_t*>(from), reinterpret_cast<unit_t*>(to), i);
}
