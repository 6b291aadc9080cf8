// Slabs of both operands are loaded by asynchronous copies of CHUNK bytes.
#pragma once
#include "ptx/async_copy_chunks.cuh"

// A thread stays in its column of chunks and advances along the rows: the trip count is a constant
// and an address is one addition, as issuing copies dominates a short product. A row's length is a
// multiple of a chunk's, so a chunk is completely inside or outside.
template <int ROWS, int COLUMNS, int STRIDE, int CHUNK>
__device__ __forceinline__ void fetch_slab(In* to, const In* from, int64_t ld, int64_t row,
                                           int64_t rows, int64_t column, int64_t columns) {
  constexpr int N = CHUNK / sizeof(In), PER_ROW = COLUMNS / N,
                ACROSS = PER_ROW < THREADS ? PER_ROW : THREADS, DOWN = THREADS / ACROSS;
  const int r0 = threadIdx.x / ACROSS, rows_left = rows - row < ROWS ? int(rows - row) : ROWS;
#pragma unroll
  for (int c0 = 0; c0 < PER_ROW; c0 += ACROSS) {
    const int c = (c0 + int(threadIdx.x) % ACROSS) * N, last = column + c < columns ? rows_left : 0;
    const In* at = from + (row + r0) * ld + column + c;
    In* put = to + r0 * STRIDE + c;
#pragma unroll
    for (int r = 0; r < ROWS; r += DOWN) {
      if (ROWS % DOWN == 0 || r0 + r < ROWS) fetch<CHUNK>(put + r * STRIDE, at, r0 + r < last);
      at += DOWN * ld;
    }
  }
}
