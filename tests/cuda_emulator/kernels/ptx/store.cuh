// Stores of 16 bytes.
#pragma once
#include "prelude.cuh"

__device__ __forceinline__ void write_words(uint4* to, const uint32_t (&w)[4]) {
  *to = make_uint4(w[0], w[1], w[2], w[3]);
}
