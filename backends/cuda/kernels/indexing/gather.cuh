// Gathers rows of several tables by the same indices. Lists by table: ROW_BYTES; NARROWED_TO: 1 for
// float16, 2 for bfloat16, 0 for rows that are copied; IS_LARGE: do offsets need 64 bits?
#pragma once
#include "indexing/gather_rows.cuh"

struct Tables {
  Table at[TABLES];
};

template <bool large>
struct Offset {
  typedef int32_t type;
};
template <>
struct Offset<true> {
  typedef int64_t type;
};

// The work of block `block` of the blocks of table i.
template <int i>
__device__ __forceinline__ void gather_from(const Table& table, const row_index_t* indices,
                                            int64_t count, unsigned int block) {
  typedef typename Offset<IS_LARGE[i] != 0>::type S;
  if constexpr (NARROWED_TO[i] == 0)
    copy_rows<S, ROW_BYTES[i]>(table, indices, count, block);
  else if constexpr (NARROWED_TO[i] == 1)
    narrow_rows<float16, S, ROW_BYTES[i]>(table, indices, count, block);
  else
    narrow_rows<bfloat16, S, ROW_BYTES[i]>(table, indices, count, block);
}

// Finds the table to which this block belongs, from table i on, whose first block is `first`.
template <int i>
__device__ __forceinline__ void gather_block(const Tables& tables, const row_index_t* indices,
                                             int64_t count, unsigned int first) {
  if constexpr (i < TABLES) {
    if (blockIdx.x < tables.at[i].end)
      gather_from<i>(tables.at[i], indices, count, blockIdx.x - first);
    else
      gather_block<i + 1>(tables, indices, count, tables.at[i].end);
  }
}

extern "C" __global__ void __launch_bounds__(256)
    gather(const row_index_t* indices, int64_t count, const __grid_constant__ Tables tables) {
  begin_kernel();
  gather_block<0>(tables, indices, count, 0);
}
