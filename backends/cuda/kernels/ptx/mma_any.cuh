#pragma once
#include "prelude.cuh"

// One mma.sync with 16 x 8 results. A fragment contains rows g and g + 8, columns by q (g = lane /
// 4, q = lane % 4): for floats k = q, q + 4, for float16 or bfloat16 pairs from k = 2q, 2q + 8. MMA
// is its name in PTX.
__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4],
                                         const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned." MMA " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
