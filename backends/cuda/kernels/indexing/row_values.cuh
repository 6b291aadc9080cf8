// `RowValues row(…)` by a block of threads, then `row.sum(column)`: the sum of the row's values in
// a fixed order, so that results are reproducible.
#pragma once
#include "prelude.cuh"

typedef Compute<element_t>::type value_t;
constexpr int FEW = 64;  // values that a row sorts itself; with more it scans all indices

struct RowValues {
  const element_t* values;
  const index_t* indices;
  const int* ordered;
  int64_t row, count, width;
  int here;

  // Called by all threads of the block together.
  __device__ RowValues(const element_t* values, const index_t* indices, const int* counts,
                       const int* ends, const int* places, int64_t row, int64_t count,
                       int64_t width)
      : values(values), indices(indices), row(row), count(count), width(width), here(counts[row]) {
    __shared__ int found[FEW], in_order[FEW];
    ordered = in_order;
    if (here == 0 || here > FEW) return;
    if (threadIdx.x < here) found[threadIdx.x] = places[ends[row] - here + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < here) {
      int rank = 0;
      for (int i = 0; i < here; ++i) rank += found[i] < found[threadIdx.x];
      in_order[rank] = found[threadIdx.x];
    }
    __syncthreads();
  }

  __device__ value_t sum(int64_t column) const {
    value_t sum = 0;
    if (here <= FEW) {
      for (int i = 0; i < here; ++i) sum = value_t(sum + load(values[ordered[i] * width + column]));
    } else {
      for (int64_t i = 0; i < count; ++i)
        if (int64_t(indices[i]) == row) sum = value_t(sum + load(values[i * width + column]));
    }
    return sum;
  }
};
