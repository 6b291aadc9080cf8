#pragma once
#include "prelude.cuh"

// Keras's formula in one pass, from the unscaled gradient of the backward pass. Outputs may alias
// their inputs.
typedef Compute<S>::type A;

extern "C" __global__ void adam_update_if(const S* w, const S* m, const S* v, const G* gradient,
                                          const S* step, const uint8_t* condition, const S* scale,
                                          S* new_w, S* new_m, S* new_v, int64_t items) {
  begin_kernel();
  const bool counts = *condition;
  if (!counts && new_w == w && new_m == m && new_v == v) return;
  const A alpha = load(*step), divisor = SCALED ? A(load(*scale)) : A(1);
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    A weight = load(w[i]), mean = load(m[i]), square = load(v[i]);
    if (counts) {
      const A g = A(load(gradient[i])) / divisor;
      mean += (g - mean) * A(TAKE_M);
      square += (g * g - square) * A(TAKE_V);
      weight -= mean * alpha / (sqrt(square) + A(EPSILON));
    }
    new_w[i] = store<S>(weight);
    new_m[i] = store<S>(mean);
    new_v[i] = store<S>(square);
  }
}
