#pragma once
#include "core/round_up.h"
#include "ops/conv/conv2d_tiles.h"

namespace stoker::cuda {

// Shared memory for reducing the warps' partial sums.
inline int kernel_grad_sums_floats(const Conv2dTiles& tiles) {
  const int row_tiles = ceil_div(tiles.problem.weight_rows(), 16),
            warps = Conv2dTiles::threads / 32;
  return (row_tiles * tiles.filter_tiles * 4 + tiles.filter_tiles) * 32 * (warps / 2);
}

}  // namespace stoker::cuda
