// One kernel does a step for all rows and units: a block takes ROWS rows and UNITS units with all
// their gates, sums the product over the state in shares of k, and goes on with the cell.
#pragma once
#include "rnn/cell.cuh"

struct Step {
  int64_t units, t;
  const Acc* before;  // what the step before multiplies with the kernel: h, or its gates' gradients
  Acc* after;         // and what this one does
  Acc *h, *c;         // what flows past the product, c on both ways
};
constexpr int CHUNK = sizeof(Acc) == 8 ? 256 : 512;  // of k at a time in shared memory
struct alignas(16) Four {
  Acc at[4];
};

// `width` numbers of each row of the block from column `base` on, and zeros up to a multiple of 4.
template <class V>
__device__ __forceinline__ void stage(Acc (*rows)[CHUNK], const V* from, int64_t width,
                                      int64_t base, int n, int64_t first_row, int64_t batch) {
  const int padded = (n + 3) / 4 * 4;
  __syncthreads();
  for (int i = threadIdx.x; i < ROWS * padded; i += blockDim.x) {
    const int row = i / padded, k = i % padded;
    const int64_t r = first_row + row;
    rows[row][k] = r < batch && k < n ? Acc(load(from[r * width + base + k])) : Acc(0);
  }
  __syncthreads();
}
