// Tiles of STEP rows of float16 or bfloat16 in shared memory, in the layout required by WARPGROUPS,
// and how a block's THREADS load them.
#pragma once
#include "ptx/async_copy.cuh"
#include "ptx/ldmatrix.cuh"

// The address of an element of a tile of N columns, free of bank conflicts: for warpgroups in
// panels of 64 columns with the 128-byte swizzle of the tensor cores; else in rows of N + 8.
template <int N>
__device__ __forceinline__ int place(int row, int column) {
#if WARPGROUPS
  return column / 64 * (STEP * 64) + row * 64 + (column / 8 % 8 ^ row % 8) * 8 + column % 8;
#else
  return row * (N + 8) + column;
#endif
}

// Right operands for columns n to n + 15, two tiles, and k to k + 15. Element (k, n) is in row n,
// column k.
template <int N>
__device__ __forceinline__ void load_along(uint32_t (&b)[2][2], const In* s, int n, int k) {
  const int lane = threadIdx.x % 32;
  load_matrices(b, s + place<N>(n + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 8));
}
// The same if the element is in row k, column n.
template <int N>
__device__ __forceinline__ void load_across(uint32_t (&b)[2][2], const In* s, int k, int n) {
  const int lane = threadIdx.x % 32;
  load_matrices_transposed(b, s + place<N>(k + lane / 8 % 2 * 8 + lane % 8, n + lane / 16 * 8));
}

// A tile of N columns from row `first` on, of which `rows` exist.
template <int N>
__device__ __forceinline__ void fetch_rows(In* to, const In* from, int first, int rows) {
  constexpr int PER_ROW = N / 8, PIECES = STEP * PER_ROW;
#pragma unroll
  for (int i = 0; i < (PIECES + THREADS - 1) / THREADS; ++i) {
    const int piece = i * THREADS + threadIdx.x, row = piece / PER_ROW,
              column = piece % PER_ROW * 8;
    if (PIECES % THREADS == 0 || piece < PIECES)
      fetch<16>(to + place<N>(row, column), from + int64_t(first + row) * N + column,
                first + row < rows);
  }
}
