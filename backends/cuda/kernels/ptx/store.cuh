#pragma once
#include "prelude.cuh"

// Stores 16 bytes at once. In PTX, because the compiler splits some of these stores.
__device__ __forceinline__ void write_words(uint4* to, const uint32_t (&w)[4]) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(w[0]), "r"(w[1]),
               "r"(w[2]), "r"(w[3])
               : "memory");
}
