// Adam's update by Keras's formula, for one weight or many in one launch: a table of pointers is a
// kernel argument. A gradient with several rows is summed first. Outputs may alias their inputs: a
// thread reads all of its elements before it writes any.
#pragma once
#include "common/last_block.cuh"
#include "common/vectors.cuh"

typedef Compute<element_t>::type value_t;
struct Entry {
  element_t *weight, *m, *v, *gradient, *new_weight, *new_m, *new_v;
  int64_t size, rows;
  int32_t first_block, parts, first_group, whole;
};
struct Table {
  Entry at[40];
};

template <int n>
__device__ __forceinline__ void update(const Entry& e, int64_t i, const value_t (&gradients)[n],
                                       value_t step) {
  const value_t take_m = value_t(TAKE_M), take_v = value_t(TAKE_V), small = value_t(EPSILON);
  auto w = load_vector<n>(e.weight + i), a = load_vector<n>(e.m + i), b = load_vector<n>(e.v + i);
  for (int k = 0; k < n; ++k) {
    const value_t gradient = gradients[k];
    const value_t am = load(a.at[k]) + (gradient - load(a.at[k])) * take_m;
    const value_t bv = load(b.at[k]) + (gradient * gradient - load(b.at[k])) * take_v;
    w.at[k] = store<element_t>(load(w.at[k]) - am * step / (sqrt(bv) + small));
    a.at[k] = store<element_t>(am);
    b.at[k] = store<element_t>(bv);
  }
  store_vector<n>(e.new_weight + i, w);
  store_vector<n>(e.new_m + i, a);
  store_vector<n>(e.new_v + i, b);
}
template <int n>
__device__ __forceinline__ void update_plain(const Entry& e, int64_t i, value_t step) {
  const auto g = load_vector<n>(e.gradient + i);
  value_t gradients[n];
  for (int k = 0; k < n; ++k) gradients[k] = load(g.at[k]);
  update<n>(e, i, gradients, step);
}

// 32 columns and 8 rows at a time; the rows' sums are reduced in shared memory.
__device__ __forceinline__ value_t add_rows(value_t sum, int x, int y) {
  __shared__ value_t held[8][33];
  __syncthreads();
  held[y][x] = sum;
  __syncthreads();
  value_t total = held[0][x];
  for (int r = 1; r < 8; ++r) total += held[r][x];
  return total;
}
__device__ __forceinline__ void update_summed(const Entry& e, int block, value_t* parts,
                                              value_t step) {
  const int x = threadIdx.x % 32, y = threadIdx.x / 32, part = block % e.parts,
            tile = block / e.parts;
  const int64_t column = int64_t(tile) * 32 + x, share = (e.rows + e.parts - 1) / e.parts;
  const int64_t begin = part * share, end = begin + share < e.rows ? begin + share : e.rows;
  value_t sum = 0;
  if (column < e.size) {
#pragma unroll 4
    for (int64_t r = begin + y; r < end; r += 8) sum += load(e.gradient[r * e.size + column]);
  }
  sum = add_rows(sum, x, y);
  if (e.parts > 1) {
    value_t* group = parts + int64_t(e.first_group + tile) * most_parts * 32 + x;
    if (y == 0) group[part * 32] = sum;
    if (!is_last_block(e.first_group + tile, e.parts)) return;
    sum = 0;
    for (int p = y; p < e.parts; p += 8) sum += ((volatile value_t*)group)[p * 32];
    sum = add_rows(sum, x, y);
  }
  if (y > 0 || column >= e.size) return;
  const value_t gradient[1] = {sum};
  update<1>(e, column, gradient, step);
}

extern "C" __global__ void __launch_bounds__(256)
    adam_update(const __grid_constant__ Table table, int count, const element_t* step,
                value_t* parts) {
  begin_kernel();
  int at = 0;
  while (at + 1 < count && int(blockIdx.x) >= table.at[at + 1].first_block) ++at;
  const Entry& e = table.at[at];
  const int block = int(blockIdx.x) - e.first_block;
  const value_t step_size = load(step[0]);
  if (e.rows > 1) return update_summed(e, block, parts, step_size);
  const int64_t begin = block * int64_t(1024);
  if (e.whole && begin + 1024 <= e.size) {
    for (int i = threadIdx.x * width; i < 1024; i += 256 * width)
      update_plain<width>(e, begin + i, step_size);
  } else {
    for (int64_t i = begin + threadIdx.x; i < e.size && i < begin + 1024; i += 256)
      update_plain<1>(e, i, step_size);
  }
}
