// Casts several float32 tensors to float16 or bfloat16 in one launch; a thread converts eight
// consecutive elements of one of them.
#pragma once
#include "common/vectors.cuh"

struct Pieces {
  const float* from[most];
  half_t* to[most];
  int64_t size[most], first_block[most];
  int32_t count, aligned;
};
extern "C" __global__ void __launch_bounds__(256) cast_many(Pieces p) {
  begin_kernel();
  int piece = 0;
  while (piece + 1 < p.count && int64_t(blockIdx.x) >= p.first_block[piece + 1]) ++piece;
  const int64_t at = ((int64_t(blockIdx.x) - p.first_block[piece]) * 256 + threadIdx.x) * 8,
                left = p.size[piece] - at;
  if (left <= 0) return;
  const float* const from = p.from[piece] + at;
  half_t* const to = p.to[piece] + at;
  if (left < 8 || !p.aligned) {
    for (int i = 0; i < 8 && i < left; ++i) to[i] = store<half_t>(from[i]);
    return;
  }
  const Vec<float, 4> a = load_vector<4>(from), b = load_vector<4>(from + 4);
  Vec<half_t, 8> x;
  for (int i = 0; i < 8; ++i) x.at[i] = store<half_t>(i < 4 ? a.at[i] : b.at[i - 4]);
  store_vector<8>(to, x);
}
