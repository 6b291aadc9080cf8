// Tensor core products of float32 in TF32. Of lane = 4 g + t: a holds rows g, g + 8, g, g + 8 of
// columns t, t, t + 4, t + 4; b rows t, t + 4 of column g; d rows g, g, g + 8, g + 8 of columns 2t,
// 2t + 1, 2t, 2t + 1.
#pragma once
#include "prelude.cuh"

// Rounds to the bits that the tensor core uses of a float; it ignores the others.
__device__ __forceinline__ float to_tf32(float x) {
  uint32_t bits = __float_as_uint(x) + 0x1000u;
  return x == x ? __uint_as_float(bits) : x;
}

// d += a * b, 16 x 8 x 8.
__device__ __forceinline__ void mma_tf32(float (&d)[4], const float (&a)[4], const float (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}
