// Rows of several tables by the same indices. What a block does with its table is generated:
// `struct Tables` has all of them, and gather_block(tables, indices, count) knows their types and
// the bytes of their rows.
#pragma once
#include "indexing/gather_rows.cuh"

extern "C" __global__ void __launch_bounds__(256)
    gather(const row_index_t* indices, int64_t count, const __grid_constant__ Tables tables) {
  begin_kernel();
  gather_block(tables, indices, count);
}
