#pragma once
#include "prelude.cuh"

typedef Compute<element_t>::type value_t;
extern "C" __global__ void __launch_bounds__(256)
    cross_entropy_grad(const label_t* labels, const element_t* softmax, const element_t* scales,
                       element_t* out, int64_t size, int64_t n) {
  begin_kernel();
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= size) return;
  const int64_t r = i / n, label = labels[r];
  const value_t scale = label < 0 || label >= n ? value_t(NAN_F) : load(scales[r]);
  const value_t x = load(softmax[i]) * scale;
  out[i] = store<element_t>(i - r * n == label ? x - scale : x);
}
