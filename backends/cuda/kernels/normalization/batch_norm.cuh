// Batch normalisation of (rows, channels). A thread has the same few channels for all its rows, so
// that per-channel values stay in registers. Sums are reduced in two stages: each block writes its
// part to the workspace, and one warp per channel joins the parts, always in the same order.
#pragma once
#include "common/vectors.cuh"

typedef Compute<element_t>::type value_t;
constexpr int at_once = 256 / lanes;
typedef Vec<element_t, width> Pack;
__device__ __forceinline__ Pack pack_at(const element_t* from, int aligned) {
  return load_vector<width>(from, aligned);
}
__device__ __forceinline__ void put(element_t* to, const Pack& pack, int aligned) {
  if (aligned)
    store_vector(to, pack);
  else
    for (int i = 0; i < width; ++i) to[i] = pack.at[i];
}

// f(row) for the rows of this thread.
template <class F>
__device__ __forceinline__ void for_rows(int64_t rows, const F& f) {
  const int64_t step = int64_t(at_once) * gridDim.y;
  for (int64_t r = int64_t(blockIdx.y) * at_once + threadIdx.x / lanes; r < rows; r += step) f(r);
}
__device__ __forceinline__ int64_t first_channel() {
  return (int64_t(blockIdx.x) * lanes + threadIdx.x % lanes) * width;
}

// Writes the block's sums of a thread's two values per channel to parts[block][which][channel].
__device__ __forceinline__ void leave(const value_t* first, const value_t* second, value_t* parts,
                                      int64_t channels) {
  __shared__ value_t shared[2][256 * width];
  for (int i = 0; i < width; ++i) {
    shared[0][threadIdx.x * width + i] = first[i];
    shared[1][threadIdx.x * width + i] = second[i];
  }
  __syncthreads();
  for (int t = threadIdx.x; t < 2 * lanes * width; t += 256) {
    const int which = t / (lanes * width), at = t % (lanes * width);
    value_t sum = 0;
    for (int row = 0; row < at_once; ++row) sum += shared[which][row * lanes * width + at];
    const int64_t channel = int64_t(blockIdx.x) * lanes * width + at;
    if (channel < channels) parts[(int64_t(blockIdx.y) * 2 + which) * channels + channel] = sum;
  }
}
// Eight neighbouring channels per block for coalesced reads, 32 threads each.
__device__ __forceinline__ int64_t joined_channel() {
  return int64_t(blockIdx.x) * 8 + threadIdx.x % 8;
}
__device__ __forceinline__ value_t joined(const value_t* parts, int blocks, int which,
                                          int64_t channel, int64_t channels) {
  __shared__ value_t shared[256];
  value_t sum = 0;
  if (channel < channels)
    for (int b = threadIdx.x / 8; b < blocks; b += 32)
      sum += parts[(int64_t(b) * 2 + which) * channels + channel];
  __syncthreads();
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half >= 8; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  return shared[threadIdx.x % 8];
}
