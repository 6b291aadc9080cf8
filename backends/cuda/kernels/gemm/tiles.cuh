// GEMM on tensor cores with tiles of TM x TN; k is divided into slabs of TK, STAGES of them in
// shared memory (multi-stage pipeline).
#pragma once
#include "gemm/epilogue.cuh"
#include "gemm/tiles_cluster.cuh"
#include "gemm/tiles_fragments.cuh"
#include "gemm/tiles_slab.cuh"

constexpr int THREADS_M = TM / WARPS_M, THREADS_N = TN / WARPS_N, MT = THREADS_M / 16,
              NT = THREADS_N / 8;
constexpr int ALONG = 16 / sizeof(In);  // padding against bank conflicts of fragment loads
constexpr int A_ROWS = TRANS_A ? TK : TM, A_COLUMNS = TRANS_A ? TM : TK,
              A_STRIDE = A_COLUMNS + (TRANS_A ? 8 : ALONG);
constexpr int B_ROWS = TRANS_B ? TN : TK, B_COLUMNS = TRANS_B ? TK : TN,
              B_STRIDE = B_COLUMNS + (TRANS_B ? ALONG : 8);
constexpr int SLAB = A_ROWS * A_STRIDE + B_ROWS * B_STRIDE, SUMS_STRIDE = TN + 8;
constexpr int SHARE = TM / CLUSTER, PACKS = SHARE * TN / WIDTH,
              PACKS_PER_THREAD = (PACKS + THREADS - 1) / THREADS;

__device__ __forceinline__ void multiply_slab(float (&sums)[MT][NT][4], const In* a, const In* b,
                                              int m0, int n0, int g, int q) {
#pragma unroll
  for (int k0 = 0; k0 < TK; k0 += KSTEP) {
    uint32_t left[MT][4], right[NT][2];
#pragma unroll
    for (int i = 0; i < MT; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int m = m0 + 16 * i + g + 8 * (j % 2),
                  k = k0 + (SIXTEEN_BIT ? 2 * q + 8 * (j / 2) : q + 4 * (j / 2));
        left[i][j] =
            TRANS_A ? across_k(a + k * A_STRIDE + m, A_STRIDE) : along_k(a + m * A_STRIDE + k);
      }
#pragma unroll
    for (int i = 0; i < NT; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int n = n0 + 8 * i + g, k = k0 + (SIXTEEN_BIT ? 2 * q + 8 * j : q + 4 * j);
        right[i][j] =
            TRANS_B ? along_k(b + n * B_STRIDE + k) : across_k(b + k * B_STRIDE + n, B_STRIDE);
      }
#pragma unroll
    for (int i = 0; i < MT; ++i)
#pragma unroll
      for (int j = 0; j < NT; ++j) multiply(sums[i][j], left[i], right[j]);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) gemm(Arguments x) {
  begin_kernel();
  extern __shared__ float4 memory[];
  In* const slabs = (In*)memory;
  const int part = blockIdx.x % CLUSTER;
  const int tile = blockIdx.x / CLUSTER;
  const int64_t row = int64_t(tile / x.tiles_across) * TM,
                column = int64_t(tile % x.tiles_across) * TN;
  const int64_t begin = int64_t(blockIdx.y * CLUSTER + part) * x.depth;
  const int64_t end = begin + x.depth < x.inner ? begin + x.depth : x.inner;
  const int count = begin < end ? int((end - begin + TK - 1) / TK) : 0;
  const auto fetch_next = [&](int i) {
    if (i < count) {
      In* const a = slabs + i % STAGES * SLAB;
      const int64_t k = begin + int64_t(i) * TK;
      if (TRANS_A)
        fetch_slab<A_ROWS, A_COLUMNS, A_STRIDE, CHUNK_A>(a, x.a, x.rows, k, end, row, x.rows);
      else
        fetch_slab<A_ROWS, A_COLUMNS, A_STRIDE, CHUNK_A>(a, x.a, x.inner, row, x.rows, k, end);
      In* const b = a + A_ROWS * A_STRIDE;
      if (TRANS_B)
        fetch_slab<B_ROWS, B_COLUMNS, B_STRIDE, CHUNK_B>(b, x.b, x.inner, column, x.columns, k,
                                                         end);
      else
        fetch_slab<B_ROWS, B_COLUMNS, B_STRIDE, CHUNK_B>(b, x.b, x.columns, k, end, column,
                                                         x.columns);
    }
    end_of_slab();
  };
  for (int i = 0; i < STAGES - 1; ++i) fetch_next(i);

  // The epilogue's operands are prefetched during the product if registers suffice.
  Rest<WIDTH> rest[EARLY ? PACKS_PER_THREAD : 1];
#if EARLY
#pragma unroll
  for (int i = 0; i < PACKS_PER_THREAD; ++i) {
    const int pack = threadIdx.x + i * THREADS;
    const int64_t r = row + part * SHARE + pack / (TN / WIDTH),
                  c = column + pack % (TN / WIDTH) * WIDTH;
    if (pack < PACKS && r < x.rows && c < x.columns) rest[i] = rest_of<WIDTH>(x, r, c);
  }
#endif

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
  const int m0 = warp / WARPS_N * THREADS_M, n0 = warp % WARPS_N * THREADS_N;
  float sums[MT][NT][4] = {}, column_sum = 0;
  for (int i = 0; i < count; ++i) {
    wait_for_slab<STAGES - 2>();
    __syncthreads();
    fetch_next(i + STAGES - 1);
    const In* const a = slabs + i % STAGES * SLAB;
    multiply_slab(sums, a, a + A_ROWS * A_STRIDE, m0, n0, g, q);
#if BIAS_STEP
    if (row == 0)  // threads of different columns share its rows
#pragma unroll
      for (int k = threadIdx.x / TN; k < TK; k += THREADS / TN)
        column_sum += load(a[A_ROWS * A_STRIDE + k * B_STRIDE + threadIdx.x % TN]);
#endif
  }
  wait_for_slab<0>();
  __syncthreads();

  float* const own = (float*)memory;
#pragma unroll
  for (int i = 0; i < MT; ++i)
#pragma unroll
    for (int j = 0; j < NT; ++j)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        *(float2*)(own + (m0 + 16 * i + g + 8 * h) * SUMS_STRIDE + n0 + 8 * j + 2 * q) =
            make_float2(sums[i][j][2 * h], sums[i][j][2 * h + 1]);
  float* const own_columns = own + TM * SUMS_STRIDE;
#if BIAS_STEP
  own_columns[threadIdx.x] = column_sum;
  __syncthreads();
  if (threadIdx.x < TN)
    for (int t = threadIdx.x + TN; t < THREADS; t += TN) own_columns[threadIdx.x] += own_columns[t];
#endif
  meet();
#if BIAS_STEP
  if (row == 0 && part == 0 && threadIdx.x < TN && column + threadIdx.x < x.columns) {
    float total = 0;
#pragma unroll
    for (int block = 0; block < CLUSTER; ++block)
      total += from_block<1>(own_columns + threadIdx.x, block).at[0];
    finish_bias(x, total, column + threadIdx.x);
  }
#endif
#pragma unroll
  for (int i = 0; i < PACKS_PER_THREAD; ++i) {
    const int pack = threadIdx.x + i * THREADS;
    const int r = part * SHARE + pack / (TN / WIDTH), c = pack % (TN / WIDTH) * WIDTH;
    if (pack < PACKS && row + r < x.rows && column + c < x.columns) {
      float total[WIDTH] = {};
#pragma unroll
      for (int block = 0; block < CLUSTER; ++block) {
        const Pack<float, WIDTH> add = from_block<WIDTH>(own + r * SUMS_STRIDE + c, block);
#pragma unroll
        for (int e = 0; e < WIDTH; ++e) total[e] += add.at[e];
      }
#if SPLIT
      Pack<float, WIDTH> result;
#pragma unroll
      for (int e = 0; e < WIDTH; ++e) result.at[e] = total[e];
      *(Pack<float, WIDTH>*)((float*)x.partial + (blockIdx.y * x.rows + row + r) * x.columns +
                             column + c) = result;
#else
      if (!EARLY) rest[0] = rest_of<WIDTH>(x, row + r, column + c);
      finish<WIDTH>(x, rest[EARLY ? i : 0], total, row + r, column + c);
#endif
    }
  }
  if (CLUSTER > 1) meet();  // others may still read these sums
}
