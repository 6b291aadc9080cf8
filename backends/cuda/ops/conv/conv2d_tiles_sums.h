#pragma once
#include "ops/conv/conv2d_tiles.h"

namespace stoker::cuda {

// Shared memory for reducing the warps' partial sums.
inline int kernel_grad_sums_floats(const Conv2dTiles& tiles) {
  const int row_tiles = (tiles.problem.weight_rows() + 15) / 16, warps = Conv2dTiles::threads / 32;
  return (row_tiles * tiles.filter_tiles * 4 + tiles.filter_tiles) * 32 * (warps / 2);
}

}  // namespace stoker::cuda
