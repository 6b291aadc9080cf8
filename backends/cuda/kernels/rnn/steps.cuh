// One launch per step for all rows and units: a block has ROWS rows and UNITS units with all their
// gates, splits the recurrent product along k, and applies the cell.
#pragma once
#include "rnn/cell.cuh"

struct Step {
  int64_t units, t;
  // operand of the recurrent product from the previous step: h, or its gates' gradients
  const Acc* before;
  Acc* after;  // the same for the next step
  Acc *h, *c;  // what bypasses the product; c in both directions
};
constexpr int CHUNK = sizeof(Acc) == 8 ? 256 : 512;  // of k at a time in shared memory
struct alignas(16) Four {
  Acc at[4];
};

// `width` numbers of each row of the block from column `base` on, zero-padded to a multiple of 4.
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
