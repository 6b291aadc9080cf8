// An elementwise program: the planner defines its parts as macros. All operands of a group are read
// before its results are written, so outputs may alias inputs.
#pragma once
#include "elementwise/functions.cuh"

struct Tensors {
  MEMBERS  // pointers in0, in1 … and out0, out1 …
};

// n consecutive elements from i on: x0, x1 … are the operands, y0, y1 … the results.
template <int n>
__device__ __forceinline__ void run_group(const Tensors& t, index_t i) {
  LOADS
#pragma unroll
  for (int k = 0; k < n; ++k) {
    INSTRUCTIONS
  }
  STORES
}

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
