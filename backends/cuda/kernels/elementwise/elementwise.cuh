// The frame of an elementwise program. Its expression is generated: `struct Tensors` has the
// pointers, and run_group<n>(tensors, i) computes n consecutive elements from i on. It reads all of
// them before it writes any, so outputs may alias inputs.
#pragma once
#include "elementwise/functions.cuh"

extern "C" __global__ void __launch_bounds__(256)
    elementwise(const __grid_constant__ Tensors tensors, int64_t groups, int64_t items) {
  begin_kernel();
  const index_t t = index_t(blockIdx.x) * index_t(blockDim.x) + index_t(threadIdx.x);
  if (t >= index_t(items)) return;
  if (t < index_t(groups))
    run_group<width>(tensors, t * width);
  else
    run_group<1>(tensors, index_t(groups) * width + (t - index_t(groups)));
}
