#pragma once
#include "conv/tiles.cuh"

// The weights stay in registers for all strips of a block. Filters are assigned to the columns of
// the tiles so that a thread has RUN neighbouring filters of a pixel (16 bytes), and the next
// threads have the next ones.
constexpr int STEPS = (TAPS + 7) / 8, OWN = 2 * NT;
constexpr int RUN = OWN < 16 / sizeof(T) ? OWN : 16 / sizeof(T);

// The i-th filter of thread t.
__device__ __forceinline__ int own_filter(int t, int i) {
  return i / RUN * 4 * RUN + t * RUN + i % RUN;
}

template <class V, class G>
__device__ __forceinline__ void write_own(V* to, G value) {
#pragma unroll
  for (int i = 0; i < OWN; i += RUN) {
    V values[RUN];
#pragma unroll
    for (int j = 0; j < RUN; ++j) values[j] = value(i + j);
    write_pack(to + i * 4, values);
  }
}

struct Weights {
  float at[STEPS][NT][2];
  __device__ __forceinline__ void read(const T* kernel, int first, int g, int t) {
#pragma unroll
    for (int s = 0; s < STEPS; ++s)
#pragma unroll
      for (int j = 0; j < NT; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int tap = 8 * s + t + 4 * i, f = first + own_filter(g / 2, 2 * j + g % 2);
          at[s][j][i] = tap < TAPS ? load_tf32(kernel[tap * F + f]) : 0.f;
        }
  }
};

// Two rows of pixels at offsets of the strip, times all weights.
__device__ __forceinline__ void multiply(float (&sums)[NT][4], const Weights& weights,
                                         const float* upper, const float* lower,
                                         const int (&taps)[STEPS][2], int t) {
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
    float a[4];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const bool real = 8 * s + 7 < TAPS || 8 * s + t + 4 * i < TAPS;
      a[2 * i] = real ? upper[taps[s][i]] : 0.f;
      a[2 * i + 1] = real ? lower[taps[s][i]] : 0.f;
    }
#pragma unroll
    for (int j = 0; j < NT; ++j) mma_tf32(sums[j], a, weights.at[s][j]);
  }
}

__device__ __forceinline__ void start(float (&sums)[NT][4], const float (&bias)[OWN]) {
#pragma unroll
  for (int j = 0; j < NT; ++j)
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[j][i] = bias[2 * j + i % 2];
}

// The maximum of each window and its position: 8 windows at a time, two positions in each product.
__device__ __forceinline__ void pool_windows(const float* strip, const Weights& weights,
                                             const float (&bias)[OWN], const int (&taps)[STEPS][2],
                                             int group, int positions, int g, int t, T* y,
                                             uint8_t* index) {
  const int own = group * 8 + g, position = own < positions ? own : positions - 1;
  float best[OWN];
  int where[OWN];
#pragma unroll
  for (int place = 0; place < PLACES; place += 2) {
    const bool pair = place + 1 < PLACES;
    float sums[NT][4];
    start(sums, bias);
    multiply(sums, weights, strip + strip_offset(position, place),
             strip + strip_offset(position, pair ? place + 1 : place), taps, t);
#pragma unroll
    for (int half = 0; half < (pair ? 2 : 1); ++half)
#pragma unroll
      for (int i = 0; i < OWN; ++i) {
        const float value = sums[i / 2][2 * half + i % 2];
        where[i] = place + half == 0 ? 0 : value > best[i] ? place + half : where[i];
        best[i] = place + half == 0 ? value : larger(value, best[i]);
      }
  }
  if (own >= positions) return;
#pragma unroll
  for (int i = 0; i < OWN; ++i) {
    if (RELU) where[i] = best[i] > 0 ? where[i] : 255;
    if (RELU) best[i] = larger(best[i], 0.f);
  }
  write_own(y + int64_t(own) * F, [&](int i) { return store<T>(best[i]); });
  write_own(index + int64_t(own) * F, [&](int i) { return uint8_t(where[i]); });
}

// 16 pixels at a time.
__device__ __forceinline__ void convolve(const float* strip, const Weights& weights,
                                         const float (&bias)[OWN], const int (&taps)[STEPS][2],
                                         int group, int positions, int g, int t, T* y) {
  const int upper = group * 16 + g, lower = upper + 8;
  float sums[NT][4];
  start(sums, bias);
  multiply(sums, weights, strip + strip_offset(upper < positions ? upper : 0, 0),
           strip + strip_offset(lower < positions ? lower : 0, 0), taps, t);
  if (RELU) {
#pragma unroll
    for (int i = 0; i < 4 * NT; ++i) sums[i / 4][i % 4] = larger(sums[i / 4][i % 4], 0.f);
  }
  if (upper < positions)
    write_own(y + int64_t(upper) * F, [&](int i) { return store<T>(sums[i / 2][i % 2]); });
  if (lower < positions)
    write_own(y + int64_t(lower) * F, [&](int i) { return store<T>(sums[i / 2][2 + i % 2]); });
}

extern "C" __global__ void __launch_bounds__(THREADS)
    conv2d_tiles(const T* x, const T* kernel, const T* bias, T* y, uint8_t* index, int all_strips) {
  begin_kernel();
  extern __shared__ float strip[];
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int first = blockIdx.y * 8 * NT;
  Weights weights;
  weights.read(kernel, first, g, t);
  float own_bias[OWN];
#pragma unroll
  for (int i = 0; i < OWN; ++i) own_bias[i] = BIAS ? load(bias[first + own_filter(t, i)]) : 0.f;
  int taps[STEPS][2];
#pragma unroll
  for (int s = 0; s < STEPS; ++s)
#pragma unroll
    for (int i = 0; i < 2; ++i) taps[s][i] = tap_offset(8 * s + t + 4 * i);

  for (int s = blockIdx.x; s < all_strips; s += gridDim.x) {
    const int n = s / STRIPS, first_row = s % STRIPS * ROWS;
    const int rows = RESULT_ROWS - first_row < ROWS ? RESULT_ROWS - first_row : ROWS;
    const int positions = rows * COLUMNS;
    const int64_t at = (int64_t(n) * RESULT_ROWS + first_row) * COLUMNS * F + first + RUN * t;
    stage_strip(x, strip, n, first_row);
    __syncthreads();
    if (POOLED)
      for (int group = warp; group * 8 < positions; group += THREADS / 32)
        pool_windows(strip, weights, own_bias, taps, group, positions, g, t, y + at, index + at);
    else
      for (int group = warp; group * 16 < positions; group += THREADS / 32)
        convolve(strip, weights, own_bias, taps, group, positions, g, t, y + at);
    __syncthreads();
  }
}
