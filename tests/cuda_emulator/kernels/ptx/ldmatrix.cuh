// Gathers matrices from the addresses of a warp's lanes.
#pragma once
#include "prelude.cuh"

template <class F>
__device__ __forceinline__ void emulated_matrices(uint32_t (&b)[2][2], const void* row,
                                                  F element_pair) {
  const uint64_t address = uint64_t(row);
  uint32_t words[32][2];
  emulated_gather(uint32_t(address), uint32_t(address >> 32), words);
  for (int matrix = 0; matrix < 4; ++matrix) {
    const uint16_t* rows[8];
    for (int r = 0; r < 8; ++r)
      rows[r] =
          (const uint16_t*)(uint64_t(words[matrix * 8 + r][1]) << 32 | words[matrix * 8 + r][0]);
    b[matrix / 2][matrix % 2] = element_pair(rows, threadIdx.x % 32 / 4, threadIdx.x % 4 * 2);
  }
}
__device__ __forceinline__ void load_matrices(uint32_t (&b)[2][2], const void* row) {
  emulated_matrices(b, row, [](const uint16_t* const* rows, int own, int pair) {
    return uint32_t(rows[own][pair]) | uint32_t(rows[own][pair + 1]) << 16;
  });
}
__device__ __forceinline__ void load_matrices_transposed(uint32_t (&b)[2][2], const void* row) {
  emulated_matrices(b, row, [](const uint16_t* const* rows, int own, int pair) {
    return uint32_t(rows[pair][own]) | uint32_t(rows[pair + 1][own]) << 16;
  });
}
