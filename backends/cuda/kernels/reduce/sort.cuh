// Rows, or parts of long rows, are sorted by a block in shared memory; subsequent launches merge
// pairs of neighbouring parts. No two keys are equal, so the result does not depend on the order of
// work. WHOLE: a part is a whole row.
#pragma once
#include "reduce/sort_pairs.cuh"

// A bitonic sorting network per part, several short parts per block. Parts are padded with keys
// that come after all others.
struct Slot {
  int64_t row, at;
};
__device__ __forceinline__ Slot slot_of(int s, int64_t length) {
  const int64_t parts = (length + PART - 1) / PART,
                part = blockIdx.x * int64_t(TILE / PART) + s / PART;
  return {part / parts, part % parts * PART + s % PART};
}

extern "C" __global__ void __launch_bounds__(THREADS)
    sort_parts(const element_t* in, element_t* values, int32_t* positions, pair_t* pairs,
               int64_t rows, int64_t length) {
  begin_kernel();
  __shared__ pair_t tile[TILE];
  for (int s = threadIdx.x; s < TILE; s += THREADS) {
    const Slot slot = slot_of(s, length);
    ordered_t key = ~ordered_t(0);
    if (slot.row < rows && slot.at < length) {
      const ordered_t rising = key_of(load(in[slot.row * length + slot.at]));
      key = DESCENDING ? ~rising : rising;
    }
    tile[s] = pair_of(key, uint32_t(slot.at));
  }
  for (int run = 2; run <= PART; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (int t = threadIdx.x; t < TILE / 2; t += THREADS) {
        const int low = 2 * t - (t & (distance - 1)), high = low + distance;
        const bool falls = low & run & (PART - 1);
        const pair_t a = tile[low], b = tile[high];
        if (comes_before(b, a) != falls) {
          tile[low] = b;
          tile[high] = a;
        }
      }
    }
  __syncthreads();
  for (int s = threadIdx.x; s < TILE; s += THREADS) {
    const Slot slot = slot_of(s, length);
    if (slot.row >= rows || slot.at >= length) continue;
    const int64_t begin = slot.row * length;
    if (WHOLE) {
      const uint32_t position = position_of(tile[s]);
      positions[begin + slot.at] = position;
      values[begin + slot.at] = in[begin + position];
    } else {
      pairs[begin + slot.at] = tile[s];
    }
  }
}

// The position of element `at` of a row after merging its run with the neighbour: the number of
// elements before it in its own run plus those of the other run that precede it.
__device__ __forceinline__ int64_t merged_place(const pair_t* row, int64_t at, int64_t length,
                                                int64_t run) {
  const int64_t begin = at / (2 * run) * (2 * run);
  const int64_t middle = min(begin + run, length), end = min(middle + run, length);
  const bool first = at < middle;
  int64_t low = first ? middle : begin, high = first ? end : middle;
  const int64_t other = low;
  const pair_t mine = row[at];
  while (low < high) {
    const int64_t half = (low + high) / 2;
    if (comes_before(row[half], mine))
      low = half + 1;
    else
      high = half;
  }
  return (first ? at : begin + at - middle) + (low - other);
}
extern "C" __global__ void __launch_bounds__(256)
    merge_runs(const pair_t* from, pair_t* to, int64_t size, int64_t length, int64_t run) {
  begin_kernel();
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= size) return;
  const int64_t begin = i / length * length;
  to[begin + merged_place(from + begin, i - begin, length, run)] = from[i];
}
extern "C" __global__ void __launch_bounds__(256)
    merge_last(const pair_t* from, const element_t* in, element_t* values, int32_t* positions,
               int64_t size, int64_t length, int64_t run) {
  begin_kernel();
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= size) return;
  const int64_t begin = i / length * length,
                to = begin + merged_place(from + begin, i - begin, length, run);
  const uint32_t position = position_of(from[i]);
  positions[to] = position;
  values[to] = in[begin + position];
}
