// A warp takes a few samples from the input of the last layer to the gradient with respect to that
// input, with the weights in shared memory and the samples in registers. Sums over samples are
// reduced in the block, and over blocks by the last one.
#pragma once
#include "common/last_block.cuh"
#include "common/vectors.cuh"

constexpr int packs = (features + 127) / 128, pitch = packs * 128 + 4;

struct Sample {
  Vec<float, 4> h[packs];
};

__device__ __forceinline__ void load_sample(Sample& s, const element_t* from, int lane, bool runs) {
#pragma unroll
  for (int p = 0; p < packs; ++p) {
    const int f = p * 128 + lane * 4;
    const bool inside = runs && f < features;
    Vec<element_t, 4> x = {};
    if (inside) x = load_vector<4>(from + f);
    for (int e = 0; e < 4; ++e) s.h[p].at[e] = inside ? load(x.at[e]) : 0.0f;
  }
}

extern "C" __global__ void __launch_bounds__(warps * 32)
    dense_softmax_head(const label_t* labels, const element_t* h, const element_t* w,
                       const element_t* bias, const float* scale, float* loss, float* hits,
                       element_t* gradient, element_t* column_sums, element_t* back, float* parts,
                       int64_t rows) {
  begin_kernel();
  extern __shared__ float weights[];  // by class
  __shared__ float held[warps][slots];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int64_t stride = int64_t(gridDim.x) * warps * rows_each;
  int64_t first = (int64_t(blockIdx.x) * warps + warp) * rows_each;
  for (int i = threadIdx.x; i < n * pitch; i += warps * 32) {
    const int f = i / n, c = i % n;
    weights[c * pitch + f] = f < features ? load(w[i]) : 0.0f;
  }
  float offset[n];
#pragma unroll
  for (int c = 0; c < n; ++c) offset[c] = load(bias[c]);
  const float factor = scale[0];
  __syncthreads();
  float column = 0, lost = 0, hit = 0;  // of the lane's class; the same in all lanes
  for (; first < rows; first += stride) {
    Sample s[rows_each];
#pragma unroll
    for (int r = 0; r < rows_each; ++r)
      load_sample(s[r], h + (first + r) * features, lane, first + r < rows);
    float x[rows_each][n];
#pragma unroll
    for (int c = 0; c < n; ++c) {
#pragma unroll
      for (int r = 0; r < rows_each; ++r) x[r][c] = 0;
#pragma unroll
      for (int p = 0; p < packs; ++p) {
        const Vec<float, 4> v = load_vector<4>(weights + c * pitch + p * 128 + lane * 4);
#pragma unroll
        for (int r = 0; r < rows_each; ++r)
#pragma unroll
          for (int e = 0; e < 4; ++e) x[r][c] += s[r].h[p].at[e] * v.at[e];
      }
    }
#pragma unroll
    for (int r = 0; r < rows_each; ++r) {
      const bool runs = first + r < rows;
      const int64_t label = runs ? int64_t(labels[first + r]) : 0;
      float most = -INFINITY_F, total = 0, picked = 0, best;
      int at = 0;
#pragma unroll
      for (int c = 0; c < n; ++c) {
        x[r][c] = warp_sum(x[r][c]) + offset[c];
        most = x[r][c] > most || x[r][c] != x[r][c] ? x[r][c] : most;
      }
      // The first maximum; NaN only if it comes first.
      best = x[r][0];
#pragma unroll
      for (int c = 1; c < n; ++c)
        if (x[r][c] > best) {
          best = x[r][c];
          at = c;
        }
#pragma unroll
      for (int c = 0; c < n; ++c) {
        if (c == label) picked = x[r][c] - most;
        x[r][c] = expf(x[r][c] - most);
        total += x[r][c];
      }
      const bool bad = label < 0 || label >= n;
      const float times = bad ? NAN_F : factor, inverse = 1.0f / total;
      lost += !runs ? 0.0f : bad ? NAN_F : logf(total) - picked;
      hit += runs && at == label ? 1.0f : 0.0f;
#pragma unroll
      for (int c = 0; c < n; ++c) {
        const float g = x[r][c] * inverse * times - (c == label ? times : 0.0f);
        x[r][c] = g;
        if (lane == c && runs) {
          column += g;
          gradient[(first + r) * n + c] = store<element_t>(g);
        }
      }
    }
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      Vec<float, 4> d[rows_each] = {};
#pragma unroll
      for (int c = 0; c < n; ++c) {
        const Vec<float, 4> v = load_vector<4>(weights + c * pitch + p * 128 + lane * 4);
#pragma unroll
        for (int r = 0; r < rows_each; ++r)
#pragma unroll
          for (int e = 0; e < 4; ++e) d[r].at[e] += x[r][c] * v.at[e];
      }
      const int f = p * 128 + lane * 4;
#pragma unroll
      for (int r = 0; r < rows_each; ++r) {
        if (first + r >= rows || f >= features) continue;
        Vec<element_t, 4> result;
        for (int e = 0; e < 4; ++e)
          result.at[e] = store<element_t>(with_mask && !(s[r].h[p].at[e] > 0) ? 0.0f : d[r].at[e]);
        store_vector<4>(back + (first + r) * features + f, result);
      }
    }
  }
  if (lane < n) held[warp][lane] = column;
  if (lane == 0) {
    held[warp][n] = lost;
    held[warp][n + 1] = hit;
  }
  __syncthreads();
  const int slot = threadIdx.x;
  float sum = 0;
  if (slot < n + 2)
    for (int y = 0; y < warps; ++y) sum += held[y][slot];
  const int blocks = gridDim.x;
  if (blocks > 1) {
    if (slot < n + 2) parts[blockIdx.x * slots + slot] = sum;
    if (!is_last_block(0, blocks)) return;
    constexpr int across = n + 2 <= 16 ? 16 : 64, groups = warps * 32 / across;
    __shared__ float late[groups][across];
    const int own = threadIdx.x % across, group = threadIdx.x / across;
    sum = 0;
    if (own < n + 2)
#pragma unroll 8
      for (int b = group; b < blocks; b += groups) sum += ((volatile float*)parts)[b * slots + own];
    late[group][own] = sum;
    __syncthreads();
    sum = 0;
    if (slot < n + 2)
      for (int g = 0; g < groups; ++g) sum += late[g][slot];
  }
  if (slot < n) column_sums[slot] = store<element_t>(sum);
  if (slot == n) loss[0] = sum;
  if (slot == n + 1) hits[0] = sum;
}
