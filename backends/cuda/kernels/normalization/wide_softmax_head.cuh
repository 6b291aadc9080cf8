// Cross-entropy and its gradient over very many classes. A block processes a row in two passes, the
// second from the cache: first the maximum logit and the sum of exponentials, then the gradient.
#pragma once
#include "common/last_block.cuh"
#include "common/vectors.cuh"

typedef Compute<element_t>::type value_t;
constexpr int warps = threads / 32;
typedef Vec<element_t, width> Pack;

// The fast approximation is accurate enough for float16 and bfloat16.
__device__ __forceinline__ value_t power_of_e(value_t x) {
  if (sizeof(element_t) == 2) return __expf(x);
  return exp(x);
}

// Partial result for a part of a row: its maximum logit, and the sum of exponentials relative to
// it.
struct Known {
  value_t most, sum;
};
__device__ __forceinline__ Known join(const Known& a, const Known& b) {
  if (a.most != a.most || b.most == -INFINITY_F) return a;
  if (b.most != b.most || a.most == -INFINITY_F) return b;
  const value_t most = a.most > b.most ? a.most : b.most;
  return {most, a.sum * power_of_e(a.most - most) + b.sum * power_of_e(b.most - most)};
}
__device__ __forceinline__ void take(Known& known, const value_t (&x)[width]) {
  value_t most = known.most;
  for (int i = 0; i < width; ++i) most = x[i] > most || x[i] != x[i] ? x[i] : most;
  if (most == -INFINITY_F) return;
  value_t sum = known.most == -INFINITY_F ? value_t(0) : known.sum * power_of_e(known.most - most);
  for (int i = 0; i < width; ++i) sum += power_of_e(x[i] - most);
  known = {most, sum};
}
// Converts a pack to numbers; padding is neutral.
__device__ __forceinline__ void unpack(value_t (&x)[width], const Pack& pack, int64_t c) {
  for (int i = 0; i < width; ++i) x[i] = load(pack.at[i]);
  if (c + width > classes)
    for (int i = 0; i < width; ++i)
      if (c + i >= classes) x[i] = -INFINITY_F;
}
__device__ __forceinline__ Known across_block(Known known) {
  __shared__ Known held[warps];
  for (int d = 16; d > 0; d /= 2)
    known = join(known, {__shfl_xor_sync(0xffffffffu, known.most, d),
                         __shfl_xor_sync(0xffffffffu, known.sum, d)});
  __syncthreads();
  if (threadIdx.x % 32 == 0) held[threadIdx.x / 32] = known;
  __syncthreads();
  known = held[0];
  for (int w = 1; w < warps; ++w) known = join(known, held[w]);
  return known;
}

extern "C" __global__ void __launch_bounds__(threads)
    wide_softmax_head(const label_t* labels, const element_t* logits, const value_t* scale,
                      value_t* loss, element_t* gradient, value_t* parts, int64_t rows,
                      int aligned) {
  begin_kernel();
  const value_t factor = with_gradient ? scale[0] : value_t(0);
  value_t total = 0;
  for (int64_t r = blockIdx.x; r < rows; r += gridDim.x) {
    const element_t* row = logits + r * columns;
    Known known = {-INFINITY_F, 0};
    value_t x[width];
    for (int64_t c = threadIdx.x * width; c < columns; c += threads * width) {
      unpack(x, load_vector<width>(row + c, aligned), c);
      take(known, x);
    }
    known = across_block(known);
    const int64_t label = labels[r];
    const bool bad = label < 0 || label >= classes;
    total += bad ? value_t(NAN_F) : log(known.sum) + known.most - load(row[label]);
    if (!with_gradient) continue;
    const value_t times = bad ? value_t(NAN_F) : factor, over = times / known.sum;
    for (int64_t c = threadIdx.x * width; c < columns; c += threads * width) {
      unpack(x, load_vector<width>(row + c, aligned), c);
      for (int i = 0; i < width; ++i) x[i] = power_of_e(x[i] - known.most) * over;
      if (label >= c && label < c + width)
        for (int i = 0; i < width; ++i) x[i] -= c + i == label ? times : value_t(0);
      Pack pack;
      for (int i = 0; i < width; ++i) pack.at[i] = store<element_t>(x[i]);
      element_t* to = gradient + r * columns + c;
      if (aligned)
        store_vector(to, pack);
      else
        for (int i = 0; i < width; ++i) to[i] = pack.at[i];
    }
  }
  if (threadIdx.x == 0) parts[blockIdx.x] = total;
  if (!is_last_block(0, gridDim.x) || threadIdx.x > 0) return;
  total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += ((volatile value_t*)parts)[b];
  loss[0] = total;
}
