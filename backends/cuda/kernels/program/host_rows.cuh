#pragma once
#include "prelude.cuh"

// Gathers rows of a table in page-locked host memory over the bus (zero copy). Long rows: a warp
// reads 2 KB at a time in whole lines of 128 bytes, the most efficient size for the bus, wherever a
// row begins. Short rows: a thread reads a unit.
extern "C" __global__ void __launch_bounds__(128)
    long_rows(const char* table, const int64_t* indices, char* out, int64_t rows,
              int64_t row_bytes) {
  begin_kernel();
  constexpr int loads = 4, wide = 512, piece = loads * wide;
  const int64_t pieces = (row_bytes + 112 + piece - 1) / piece;
  const int64_t warps = int64_t(gridDim.x) * (blockDim.x / 32);
  for (int64_t p = int64_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32; p < rows * pieces;
       p += warps) {
    const int64_t r = p / pieces;
    const char* const from = table + indices[r] * row_bytes;
    const int64_t before = int64_t(reinterpret_cast<unsigned long long>(from) % 128);
    const int64_t at = p % pieces * piece - before + threadIdx.x % 32 * 16;
    int4 units[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i)
      if (at + i * wide >= 0 && at + i * wide < row_bytes)
        units[i] = *reinterpret_cast<const int4*>(from + at + i * wide);
#pragma unroll
    for (int i = 0; i < loads; ++i)
      if (at + i * wide >= 0 && at + i * wide < row_bytes)
        *reinterpret_cast<int4*>(out + r * row_bytes + at + i * wide) = units[i];
  }
}

template <class U>
__device__ __forceinline__ void copy_units(const char* table, const int64_t* indices, char* out,
                                           int64_t rows, int64_t row_bytes) {
  const int64_t units = row_bytes / int64_t(sizeof(U)), all = rows * units;
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t t = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; t < all; t += step)
    reinterpret_cast<U*>(out)[t] =
        reinterpret_cast<const U*>(table + indices[t / units] * row_bytes)[t % units];
}
extern "C" __global__ void __launch_bounds__(128)
    short_rows(const char* table, const int64_t* indices, char* out, int64_t rows,
               int64_t row_bytes, int unit) {
  begin_kernel();
  if (unit == 8)
    copy_units<uint64_t>(table, indices, out, rows, row_bytes);
  else if (unit == 4)
    copy_units<uint32_t>(table, indices, out, rows, row_bytes);
  else
    copy_units<uint8_t>(table, indices, out, rows, row_bytes);
}
