// Flash attention for float16 and bfloat16 on tensor cores: a warp keeps 16 queries (for the
// gradients of keys and values, 16 keys) in registers and iterates over the others, which the block
// prefetches into shared memory. Scores exist only in registers. On Hopper the four warps of a
// block multiply together (wgmma) for head sizes 64 and 128.
#pragma once
#include "attention/problem.cuh"
#include "gemm/float16_products.cuh"
#include "ptx/math.cuh"

constexpr int BLOCK = THREADS / 2;                            // rows that a block keeps
constexpr int WIDTH = SIZE + VALUES + (WARPGROUPS ? 0 : 16);  // of a row of both streamed tiles
constexpr float LOG2E = 1.4426950408889634f, FACTOR = float(SCALE) * LOG2E;

struct Place {
  int64_t n;
  int block;
};
// The matrix and the block of its rows that a thread block computes. TOGETHER matrices at a time
// are computed concurrently, so that their keys and values stay in the L2 cache; their first blocks
// are launched before their second ones.
__device__ __forceinline__ Place place_of_block(const Arguments& x, int blocks) {
  const uint32_t each = uint32_t(TOGETHER) * blocks, chunk = blockIdx.x / each,
                 rest = blockIdx.x % each;
  const uint32_t left = uint32_t(x.count) - chunk * TOGETHER,
                 here = left < TOGETHER ? left : TOGETHER;
  return {int64_t(chunk * TOGETHER + rest % here), int(rest / here)};
}
__device__ __forceinline__ int blocks_of(int64_t rows) { return int((rows + BLOCK - 1) / BLOCK); }

// The streamed rows: `a` of SIZE and `b` of VALUES numbers, STAGES steps of them in shared memory.
struct Passing {
  In* tiles;
  const In *a, *b;
  int rows, steps;
  __device__ __forceinline__ In* a_tile(int step) const {
    return tiles + step % STAGES * (STEP * WIDTH);
  }
  __device__ __forceinline__ In* b_tile(int step) const {
    return a_tile(step) + STEP * (WARPGROUPS ? SIZE : SIZE + 8);
  }
  __device__ __forceinline__ void fetch_step(int step) const {
    if (step >= steps) return;
    fetch_rows<SIZE>(a_tile(step), a, step * STEP, rows);
    fetch_rows<VALUES>(b_tile(step), b, step * STEP, rows);
  }
};
__device__ __forceinline__ void fetch_first_steps(const Passing& pass) {
  for (int step = 0; step + 1 < STAGES; ++step) {
    pass.fetch_step(step);
    end_of_group();
  }
}
// Waits until the oldest prefetched step is in shared memory and all threads have finished reading
// the step before it.
__device__ __forceinline__ void wait_for_step() {
  wait_for_group<STAGES - 2>();
  show_tiles();
  __syncthreads();
}
// Steps over the keys that a block of queries attends to.
__device__ __forceinline__ int steps_over_keys(int block, int keys) {
  const int end = (block + 1) * BLOCK;
  return ((CAUSAL && !MASKED && end < keys ? end : keys) + STEP - 1) / STEP;
}

// The 16 queries of a warp: `first` is the index of the first one in matrix n, `here` its index
// among the queries of all matrices. `pass`: the keys and values that are streamed.
struct QueriesOfWarp {
  int queries, keys, first;
  int64_t n, here;
  Passing pass;
};
__device__ __forceinline__ QueriesOfWarp queries_of_warp(const Arguments& x, In* tiles) {
  const int queries = int(x.queries), keys = int(x.keys), blocks = blocks_of(queries);
  const Place at = place_of_block(x, blocks);
  const int block = blocks - 1 - at.block;  // the longest first
  const int first = block * BLOCK + threadIdx.x / 32 * 16;
  return {queries,
          keys,
          first,
          at.n,
          at.n * queries + first,
          {tiles, x.k + at.n * keys * SIZE, x.v + at.n * keys * VALUES, keys,
           steps_over_keys(block, keys)}};
}

template <int N>
__device__ __forceinline__ void keep_rows(uint32_t (&left)[N / 16][4], const In* m, int rows) {
#pragma unroll
  for (int k = 0; k < N / 16; ++k) load_left(left[k], m, N, rows, k * 16);
}
// Lanes exchange tiles of 8 columns, so that each stores 8 contiguous bytes.
template <int N>
__device__ __forceinline__ void write_rows(In* to, const float (&values)[N / 8][4],
                                           const float (&factor)[2], int rows) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4, odd = t % 2;
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int j = 0; j < N / 8; j += 2) {
      uint32_t pair[2];
#pragma unroll
      for (int i = 0; i < 2; ++i)
        pair[i] = pair_of(values[j + i][half * 2] * factor[half],
                          values[j + i][half * 2 + 1] * factor[half]);
      const uint32_t other = __shfl_xor_sync(0xffffffffu, odd ? pair[0] : pair[1], 1);
      const uint2 both = odd ? make_uint2(other, pair[1]) : make_uint2(pair[0], other);
      if (g + half * 8 < rows)
        *(uint2*)(to + (g + half * 8) * N + (j + odd) * 8 + t / 2 * 4) = both;
    }
}
// Sums over the four lanes that hold parts of a row.
__device__ __forceinline__ float row_sum(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}
__device__ __forceinline__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
