#pragma once
#include "conv/tiles_sums.cuh"

// A tile: SEGMENT neighbouring results of IMAGES images. A warp processes one result at a time and
// computes its gradient for 8 images, filters * units times units * images. The tensor core's
// output has the layout of its second operand in patches' * gradient, which is summed over the
// images: lane 4 g + t holds filters NT g + j of images 2t and 2t + 1.
constexpr int LINE = ((SEGMENT * PW - 1) * SW + KW) * C, LINES = (PH - 1) * SH + (KH - 1) * DH + 1;
constexpr int IMAGE = (LINES * LINE + 11) / 16 * 16 + 4;  // consecutive images are 8 banks apart
constexpr int SEGMENTS = (COLUMNS + SEGMENT - 1) / SEGMENT;
constexpr int STEPS = (UNITS + 7) / 8, MI = NT / 2, GROUPS = IMAGES / 8;
constexpr int LEFT = STEPS * 8 + (STEPS % 2 ? 0 : 8);  // floats of a left row, 8 banks apart

#if POOLED_GRADIENT
typedef uint8_t Cut;
__device__ __forceinline__ Cut nothing_passes() { return 255; }
#else
typedef T Cut;
__device__ __forceinline__ Cut nothing_passes() { return store<T>(0.f); }
#endif

// A row of the tile for each warp; the loads of AT_ONCE rows are in flight before the first is
// stored.
__device__ __forceinline__ void stage_tile(const T* x, float* tile, int batch, int first_image,
                                           int row, int column) {
  constexpr int AT_ONCE = 8, TIMES = (LINE + 31) / 32;
  const int top = row * PH * SH - PT, left = (column * PW * SW - PL) * C, lane = threadIdx.x % 32;
  for (int first = threadIdx.x / 32; first < IMAGES * LINES; first += WARPS * AT_ONCE) {
    float values[AT_ONCE][TIMES];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
      const int r = first + k * WARPS, n = first_image + r / LINES, h = top + r % LINES;
      const bool inside = r < IMAGES * LINES && n < batch && h >= 0 && h < H;
      const T* from = x + (int64_t(n) * H + h) * (W * C) + left;
#pragma unroll
      for (int i = 0; i < TIMES; ++i) {
        const int e = lane + 32 * i;
        values[k][i] = 0;
        if (inside && e < LINE && left + e >= 0 && left + e < W * C)
          values[k][i] = load_tf32(from[e]);
      }
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
      const int r = first + k * WARPS;
#pragma unroll
      for (int i = 0; i < TIMES; ++i)
        if (r < IMAGES * LINES && lane + 32 * i < LINE)
          tile[r / LINES * IMAGE + r % LINES * LINE + lane + 32 * i] = values[k][i];
    }
  }
}

__device__ __forceinline__ void stage_left(const T* a, float* left, int batch, int first_image) {
  for (int i = threadIdx.x; i < IMAGES * STEPS * 8; i += THREADS) {
    const int image = i / (STEPS * 8), j = i % (STEPS * 8);
    const bool inside = first_image + image < batch && j < UNITS;
    left[image * LEFT + j] = inside ? load_tf32(a[int64_t(first_image + image) * UNITS + j]) : 0.f;
  }
}

// Rows NT g + 2 i and NT g + 2 i + 1 of w; of unit pair t in each step.
struct UnitPair {
  T at[2];
};
struct Right {
  float at[STEPS][MI][4];
  __device__ __forceinline__ void read(const T* w, int g, int t) {
#pragma unroll
    for (int s = 0; s < STEPS; ++s)
#pragma unroll
      for (int i = 0; i < NT; ++i) {
        const int j = 8 * s + 2 * t;
        const T* from = w + (NT * g + i) * UNITS + j;
        UnitPair pair = {store<T>(0.f), store<T>(0.f)};
        if (UNITS % 2 == 0 && j < UNITS) pair = read_pack<UnitPair>(from);
        if (UNITS % 2 == 1 && j < UNITS) pair.at[0] = from[0];
        if (UNITS % 2 == 1 && j + 1 < UNITS) pair.at[1] = from[1];
        at[s][i / 2][i % 2] = load_tf32(pair.at[0]);
        at[s][i / 2][i % 2 + 2] = load_tf32(pair.at[1]);
      }
  }
};

// The gradient of one result for images 2t and 2t + 1 of a group, masked where relu was zero.
__device__ __forceinline__ void multiply(float (&value)[2][NT], const Right& right,
                                         const float* left, const Own<Cut> (&cut)[2], int t) {
  float d[MI][4] = {};
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
    const float2 pair = *reinterpret_cast<const float2*>(left + 8 * s + 2 * t);
    const float b[2] = {pair.x, pair.y};
#pragma unroll
    for (int i = 0; i < MI; ++i) mma_tf32(d[i], right.at[s][i], b);
  }
#pragma unroll
  for (int image = 0; image < 2; ++image)
#pragma unroll
    for (int j = 0; j < NT; ++j) {
#if POOLED_GRADIENT
      const bool passes = cut[image].at[j] < PLACES;
#else
      const bool passes = load(cut[image].at[j]) > 0;
#endif
      value[image][j] = passes ? d[j / 2][j % 2 * 2 + image] : 0.f;
    }
}

__device__ __forceinline__ void add_products(float (&sums)[MT][NT][4], const float (&value)[2][NT],
                                             const Own<Cut> (&cut)[2], const float* patch,
                                             const int (&taps)[MT][2]) {
#pragma unroll
  for (int place = 0; place < PLACES; ++place) {
    const float *even = patch + place / PW * SH * LINE + place % PW * SW * C, *odd = even + IMAGE;
    float b[NT][2];
#pragma unroll
    for (int j = 0; j < NT; ++j)
#pragma unroll
      for (int i = 0; i < 2; ++i)
#if POOLED_GRADIENT
        b[j][i] = cut[i].at[j] == place ? to_tf32(value[i][j]) : 0.f;
#else
        b[j][i] = to_tf32(value[i][j]);
#endif
#pragma unroll
    for (int m = 0; m < MT; ++m) {
      const float a[4] = {even[taps[m][0]], even[taps[m][1]], odd[taps[m][0]], odd[taps[m][1]]};
#pragma unroll
      for (int j = 0; j < NT; ++j) mma_tf32(sums[m][j], a, b[j]);
    }
  }
}

// The masks of a result's gradients, for all images of the tile.
struct Cuts {
  Own<Cut> at[GROUPS][2];
  __device__ __forceinline__ void read(const Cut* cut, int batch, int first_image, int64_t result,
                                       bool exists, int filter, int t) {
#pragma unroll
    for (int group = 0; group < GROUPS; ++group)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int n = first_image + 8 * group + 2 * t + i;
#pragma unroll
        for (int j = 0; j < NT; ++j) at[group][i].at[j] = nothing_passes();
        if (exists && n < batch)
          at[group][i] = read_pack<Own<Cut>>(
              cut + (int64_t(n) * (RESULT_ROWS * COLUMNS) + result) * F + filter);
      }
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, 3)
    conv2d_tiles_of_product(const T* x, const T* a, const T* w, const Cut* cut, float* partial,
                            int batch, int chunks, int tiles) {
  begin_kernel();
  extern __shared__ float tile[];
  float* left = tile + IMAGES * IMAGE;
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int first = blockIdx.y * 8 * NT;
  int taps[MT][2];
#pragma unroll
  for (int m = 0; m < MT; ++m)
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int tap = 16 * m + g + 8 * i;
      taps[m][i] = tap < TAPS ? tap / (KW * C) * DH * LINE + tap % (KW * C) : 0;
    }
  float sums[MT][NT][4] = {}, bias[NT] = {};
  // Neighbouring blocks have the same results of other images, so they find w in the cache.
  for (int s = blockIdx.x; s < tiles; s += gridDim.x) {
    const int first_image = s % chunks * IMAGES, column = s / chunks % SEGMENTS * SEGMENT,
              row = s / chunks / SEGMENTS;
    const int columns = COLUMNS - column < SEGMENT ? COLUMNS - column : SEGMENT;
    // Loaded during staging, and later while the previous result is multiplied.
    Cuts next;
    next.read(cut, batch, first_image, row * COLUMNS + column + warp, warp < columns,
              first + NT * g, t);
    stage_tile(x, tile, batch, first_image, row, column);
    stage_left(a, left, batch, first_image);
    __syncthreads();
    for (int c = warp; c < columns; c += WARPS) {
      const int64_t result = row * COLUMNS + column + c;
      Cuts now = next;
      next.read(cut, batch, first_image, result + WARPS, c + WARPS < columns, first + NT * g, t);
      Right right;
      right.read(w + (result * F + first) * UNITS, g, t);
#pragma unroll
      for (int group = 0; group < GROUPS; ++group) {
        float value[2][NT];
        multiply(value, right, left + (8 * group + g) * LEFT, now.at[group], t);
#pragma unroll
        for (int j = 0; j < NT; ++j) bias[j] += value[0][j] + value[1][j];
        add_products(sums, value, now.at[group],
                     tile + (8 * group + 2 * t) * IMAGE + c * PW * SW * C, taps);
      }
    }
    __syncthreads();
  }
  add_warps(tile, sums, bias);
  if (warp == 0)
    write_part(partial + int64_t(blockIdx.x) * ((TAPS + BIAS) * F), sums, bias, first, g, t);
}
