#pragma once
#include "conv/tiles.cuh"

// A weight gradient in registers: rows are taps, and column n of filter tile j is filter NT n + j,
// so that a thread has NT neighbouring filters. It stays there until the block's last tile; then
// the partial sums of the warps are reduced, and those of the blocks by sum_parts.
constexpr int MT = (TAPS + 15) / 16, WARPS = THREADS / 32;
constexpr int SUMS = MT * NT * 4 + NT;

template <class V>
struct Own {
  V at[NT];
};

// Lane by lane: the same lane of every warp has the same elements.
__device__ __forceinline__ void add_warps(float* buffer, float (&sums)[MT][NT][4],
                                          float (&bias)[NT]) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int half = WARPS / 2; half > 0; half /= 2) {
    __syncthreads();
    float* own = buffer + (warp % half) * SUMS * 32 + lane;
    if (warp >= half && warp < 2 * half) {
#pragma unroll
      for (int i = 0; i < MT * NT * 4; ++i) own[i * 32] = sums[i / (NT * 4)][i / 4 % NT][i % 4];
#pragma unroll
      for (int j = 0; j < NT; ++j) own[(MT * NT * 4 + j) * 32] = bias[j];
    }
    __syncthreads();
    if (warp < half) {
#pragma unroll
      for (int i = 0; i < MT * NT * 4; ++i) sums[i / (NT * 4)][i / 4 % NT][i % 4] += own[i * 32];
#pragma unroll
      for (int j = 0; j < NT; ++j) bias[j] += own[(MT * NT * 4 + j) * 32];
    }
  }
}

__device__ __forceinline__ void write_part(float* part, const float (&sums)[MT][NT][4],
                                           float (&bias)[NT], int first, int g, int t) {
#pragma unroll
  for (int i = 0; i < MT * NT * 4; ++i) {
    const int m = i / (NT * 4), j = i / 4 % NT, e = i % 4;
    const int tap = 16 * m + g + e / 2 * 8;
    if (tap < TAPS) part[tap * F + first + (2 * t + e % 2) * NT + j] = sums[m][j][e];
  }
#pragma unroll
  for (int j = 0; j < NT; ++j) {
    bias[j] += __shfl_xor_sync(0xffffffffu, bias[j], 1);
    bias[j] += __shfl_xor_sync(0xffffffffu, bias[j], 2);
    if (BIAS && t == 0) part[TAPS * F + first + g * NT + j] = bias[j];
  }
}
