#pragma once
#include "prelude.cuh"

// Keras's rule: ties count as in the top k; non-finite scores give false. One warp per row.
extern "C" __global__ void __launch_bounds__(256)
    in_top_k(const index_t* targets, const element_t* scores, uint8_t* out, int64_t batch,
             int64_t classes, int64_t k) {
  begin_kernel();
  const int64_t r = blockIdx.x * int64_t(8) + threadIdx.x / 32;
  if (r >= batch) return;
  const int64_t target = targets[r];
  const bool known = target >= 0 && target < classes;
  const element_t* row = scores + r * classes;
  const auto wanted = load(row[known ? target : 0]);
  int64_t better = 0;
  int strange = 0;
  for (int64_t c = threadIdx.x % 32; c < classes; c += 32) {
    const auto score = load(row[c]);
    if (!(score - score == 0)) strange = 1;
    better += score > wanted;
  }
  better = warp_sum(better);
  strange = warp_sum(strange);
  if (threadIdx.x % 32 == 0) out[r] = known && strange == 0 && better < k;
}
