#pragma once
#include "prelude.cuh"

extern "C" __global__ void __launch_bounds__(256)
    count_values(const index_t* indices, int* counts, int64_t count, int64_t rows) {
  begin_kernel();
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= count) return;
  const int64_t row = indices[i];
  if (row >= 0 && row < rows) atomicAdd(counts + row, 1);
}

// The start of each row's values: a prefix sum by one block, whose threads each add up a range of
// rows.
extern "C" __global__ void __launch_bounds__(1024)
    begin_rows(const int* counts, int* begins, int64_t rows) {
  begin_kernel();
  __shared__ int sums[1024];
  const int64_t each = (rows + 1023) / 1024, first = threadIdx.x * each;
  const int64_t last = first + each < rows ? first + each : rows;
  int sum = 0;
  for (int64_t row = first; row < last; ++row) sum += counts[row];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 1; d < 1024; d *= 2) {
    const int before = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  int at = sums[threadIdx.x] - sum;
  for (int64_t row = first; row < last; ++row) {
    begins[row] = at;
    at += counts[row];
  }
}

// In order of arrival: sorted later, row by row.
extern "C" __global__ void __launch_bounds__(256)
    place_values(const index_t* indices, int* begins, int* places, int64_t count, int64_t rows) {
  begin_kernel();
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= count) return;
  const int64_t row = indices[i];
  if (row >= 0 && row < rows) places[atomicAdd(begins + row, 1)] = int(i);
}
