// Gathers rows of several tables by the same indices. The work of a block is generated: `struct
// Tables` contains all of them, and gather_block(tables, indices, count) knows their types and row
// sizes.
#pragma once
#include "indexing/gather_rows.cuh"

extern "C" __global__ void __launch_bounds__(256)
    gather(const row_index_t* indices, int64_t count, const __grid_constant__ Tables tables) {
  begin_kernel();
  gather_block(tables, indices, count);
}
