#pragma once
#include "conv/conv2d_problem.cuh"

extern "C" __global__ void masked_product(const T* a, const T* w, const T* mask, A* dy,
                                          int64_t per_image, int units, int64_t items) {
  begin_kernel();
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= items) return;
  const T *left = a + i / per_image * units, *right = w + i % per_image * units;
  A sum = 0;
  for (int j = 0; j < units; ++j) sum += load(left[j]) * load(right[j]);
  dy[i] = mask && !(load(mask[i]) > 0) ? A(0) : sum;
}
