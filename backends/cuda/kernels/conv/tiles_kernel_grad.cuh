#pragma once
#include "conv/tiles_sums.cuh"

// dk = patches' * dy, summed over pixels.
constexpr int AT_ONCE = sizeof(T) == 4 ? 2 : 4;  // groups of 8 pixels: loads in flight

// One group of 8 pixels (or windows): this thread's are t and t + 4.
struct Gradients {
  Own<T> value[2];
  Own<uint8_t> place[2];
  __device__ __forceinline__ void read(const T* dy, const uint8_t* index, int64_t base, int group,
                                       int positions, int t) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int position = group * 8 + t + 4 * i;
      const int64_t at = base + int64_t(position) * F;
#pragma unroll
      for (int j = 0; j < NT; ++j) value[i].at[j] = store<T>(0.f);
      if (POOLED)
#pragma unroll
        for (int j = 0; j < NT; ++j) place[i].at[j] = 255;
      if (position >= positions) continue;
      value[i] = read_pack<Own<T>>(dy + at);
      if (POOLED) place[i] = read_pack<Own<uint8_t>>(index + at);
    }
  }
};

__device__ __forceinline__ void add_products(float (&sums)[MT][NT][4], float (&bias)[NT],
                                             const float* strip, const int (&taps)[MT][2],
                                             const Gradients& gradients, int group, int positions,
                                             int t) {
  int position[2];
  float value[2][NT];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int own = group * 8 + t + 4 * i;
    position[i] = own < positions ? own : 0;
#pragma unroll
    for (int j = 0; j < NT; ++j) {
      const float dy = load(gradients.value[i].at[j]);
      if (!POOLED || gradients.place[i].at[j] < PLACES) bias[j] += dy;
      value[i][j] = load_tf32(gradients.value[i].at[j]);
    }
  }
#pragma unroll
  for (int place = 0; place < PLACES; ++place) {
    const float *first = strip + strip_offset(position[0], place),
                *second = strip + strip_offset(position[1], place);
    float b[NT][2];
#pragma unroll
    for (int j = 0; j < NT; ++j)
#pragma unroll
      for (int i = 0; i < 2; ++i)
        b[j][i] = !POOLED || gradients.place[i].at[j] == place ? value[i][j] : 0.f;
#pragma unroll
    for (int m = 0; m < MT; ++m) {
      const float a[4] = {first[taps[m][0]], first[taps[m][1]], second[taps[m][0]],
                          second[taps[m][1]]};
#pragma unroll
      for (int j = 0; j < NT; ++j) mma_tf32(sums[m][j], a, b[j]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    conv2d_tiles_kernel_grad(const T* x, const T* dy, const uint8_t* index, float* partial,
                             int all_strips) {
  begin_kernel();
  extern __shared__ float strip[];
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int first = blockIdx.y * 8 * NT;
  int taps[MT][2];
#pragma unroll
  for (int m = 0; m < MT; ++m)
#pragma unroll
    for (int i = 0; i < 2; ++i) taps[m][i] = tap_offset(16 * m + g + 8 * i);
  float sums[MT][NT][4] = {}, bias[NT] = {};
  for (int s = blockIdx.x; s < all_strips; s += gridDim.x) {
    const int n = s / STRIPS, first_row = s % STRIPS * ROWS;
    const int rows = RESULT_ROWS - first_row < ROWS ? RESULT_ROWS - first_row : ROWS;
    const int positions = rows * COLUMNS;
    const int64_t base = (int64_t(n) * RESULT_ROWS + first_row) * COLUMNS * F + first + g * NT;
    // The next gradients are loaded while these are multiplied, the first ones during staging.
    Gradients next[AT_ONCE];
#pragma unroll
    for (int i = 0; i < AT_ONCE; ++i)
      next[i].read(dy, index, base, warp * AT_ONCE + i, positions, t);
    stage_strip(x, strip, n, first_row);
    __syncthreads();
    for (int group = warp * AT_ONCE; group * 8 < positions; group += WARPS * AT_ONCE) {
      Gradients now[AT_ONCE];
#pragma unroll
      for (int i = 0; i < AT_ONCE; ++i) {
        now[i] = next[i];
        next[i].read(dy, index, base, group + WARPS * AT_ONCE + i, positions, t);
      }
#pragma unroll
      for (int i = 0; i < AT_ONCE; ++i)
        add_products(sums, bias, strip, taps, now[i], group + i, positions, t);
    }
    __syncthreads();
  }
  add_warps(strip, sums, bias);
  if (warp == 0)
    write_part(partial + int64_t(blockIdx.x) * ((TAPS + BIAS) * F), sums, bias, first, g, t);
}
