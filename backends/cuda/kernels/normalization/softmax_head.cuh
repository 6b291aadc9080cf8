// The softmax head from its logits, which are read once. A few lanes or a warp hold a row in
// registers; sums over rows are reduced in the block, and over blocks by the last one.
#pragma once
#include "common/last_block.cuh"

typedef Compute<element_t>::type value_t;
constexpr int per_lane = (n + lanes - 1) / lanes, row_lanes = threads / lanes;
constexpr int slots = per_lane + 2;  // column sums, then loss and hits

__device__ __forceinline__ value_t largest(value_t a, value_t b) { return b > a || b != b ? b : a; }
__device__ __forceinline__ value_t lanes_largest(value_t x) {
  for (int d = lanes / 2; d > 0; d /= 2) x = largest(x, __shfl_xor_sync(0xffffffffu, x, d));
  return x;
}
__device__ __forceinline__ value_t lanes_sum(value_t x) {
  for (int d = lanes / 2; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}
// The first maximum; NaN only if it comes first.
__device__ __forceinline__ int lanes_argmax(const value_t (&x)[per_lane], int lane) {
  const value_t first = __shfl_sync(0xffffffffu, x[0], 0, lanes);
  value_t best = first;
  int at = 0;
  for (int k = 0; k < per_lane; ++k)
    if (lane + k * lanes < n && x[k] > best) {
      best = x[k];
      at = lane + k * lanes;
    }
  for (int d = lanes / 2; d > 0; d /= 2) {
    const value_t v = __shfl_xor_sync(0xffffffffu, best, d);
    const int i = __shfl_xor_sync(0xffffffffu, at, d);
    if (v > best || (v == best && i < at)) {
      best = v;
      at = i;
    }
  }
  return first != first ? 0 : at;
}
// Reduces over the rows of threads; the first row gets the result.
__device__ __forceinline__ void add_rows(value_t (&sum)[slots], int lane, int y) {
  __shared__ value_t held[threads * slots];
  value_t* mine = held + (y * lanes + lane) * slots;
  __syncthreads();
  for (int k = 0; k < slots; ++k) mine[k] = sum[k];
  __syncthreads();
  for (int half = row_lanes / 2; half > 0; half /= 2) {
    if (y < half)
      for (int k = 0; k < slots; ++k) mine[k] += mine[half * lanes * slots + k];
    __syncthreads();
  }
  for (int k = 0; k < slots; ++k) sum[k] = mine[k];
}

extern "C" __global__ void __launch_bounds__(threads)
    softmax_head(const label_t* labels, const element_t* logits, const value_t* scale,
                 value_t* loss, float* hits, element_t* gradient, element_t* column_sums,
                 value_t* parts, int64_t rows) {
  begin_kernel();
  const int lane = threadIdx.x % lanes, y = threadIdx.x / lanes;
  const value_t factor = with_gradient ? scale[0] : value_t(0);
  value_t sum[slots];
  for (int k = 0; k < slots; ++k) sum[k] = 0;
  for (int64_t first = blockIdx.x * int64_t(row_lanes); first < rows;
       first += gridDim.x * int64_t(row_lanes)) {
    const int64_t r = first + y;
    const bool runs = r < rows;
    const int64_t label = runs ? int64_t(labels[r]) : -1;
    value_t x[per_lane];
    value_t most = -INFINITY_F;
    for (int k = 0; k < per_lane; ++k) {
      const int c = lane + k * lanes;
      x[k] = runs && c < n ? load(logits[r * n + c]) : value_t(-INFINITY_F);
      most = largest(most, x[k]);
    }
    most = lanes_largest(most);
    value_t total = 0, picked = 0;
    for (int k = 0; k < per_lane; ++k) {
      const int c = lane + k * lanes;
      if (c == label) picked = x[k] - most;
      x[k] = c < n ? exp(x[k] - most) : value_t(0);
      total += x[k];
    }
    total = lanes_sum(total);
    picked = lanes_sum(picked);
    const value_t inverse = value_t(1) / total;
    for (int k = 0; k < per_lane; ++k) x[k] *= inverse;
    const int at = lanes_argmax(x, lane);
    const bool bad = label < 0 || label >= n;
    if (runs && lane == 0) {
      sum[per_lane] += bad ? value_t(NAN_F) : log(total) - picked;
      sum[per_lane + 1] += at == label ? 1 : 0;
    }
    if (with_gradient && runs) {
      const value_t times = bad ? value_t(NAN_F) : factor;
      for (int k = 0; k < per_lane; ++k) {
        const int c = lane + k * lanes;
        if (c >= n) continue;
        const value_t g = x[k] * times - (c == label ? times : value_t(0));
        sum[k] += g;
        gradient[r * n + c] = store<element_t>(g);
      }
    }
  }
  add_rows(sum, lane, y);
  const int blocks = gridDim.x;
  if (blocks > 1) {
    if (y == 0)
      for (int k = 0; k < slots; ++k)
        parts[(int64_t(blockIdx.x) * lanes + lane) * slots + k] = sum[k];
    if (!is_last_block(0, blocks)) return;
    for (int k = 0; k < slots; ++k) sum[k] = 0;
    for (int b = y; b < blocks; b += row_lanes)
      for (int k = 0; k < slots; ++k)
        sum[k] += ((volatile value_t*)parts)[(int64_t(b) * lanes + lane) * slots + k];
    add_rows(sum, lane, y);
  }
  if (y > 0) return;
  if (with_gradient)
    for (int k = 0; k < per_lane; ++k)
      if (lane + k * lanes < n) column_sums[lane + k * lanes] = store<element_t>(sum[k]);
  if (lane == 0) {
    loss[0] = sum[per_lane];
    hits[0] = float(sum[per_lane + 1]);
  }
}
