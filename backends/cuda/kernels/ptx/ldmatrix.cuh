#pragma once
#include "prelude.cuh"

// Loads four matrices of 8 x 8 16-bit elements from shared memory: lane i provides the address of
// row i % 8 of matrix i / 8. A lane gets from each matrix the two elements from 2 (lane % 4) of row
// lane / 4.
__device__ __forceinline__ void load_matrices(uint32_t (&b)[2][2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(b[0][0]), "=r"(b[0][1]), "=r"(b[1][0]), "=r"(b[1][1])
               : "r"(uint32_t(__cvta_generic_to_shared(row)))
               : "memory");
}
// The same, transposed.
__device__ __forceinline__ void load_matrices_transposed(uint32_t (&b)[2][2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(b[0][0]), "=r"(b[0][1]), "=r"(b[1][0]), "=r"(b[1][1])
               : "r"(uint32_t(__cvta_generic_to_shared(row)))
               : "memory");
}
