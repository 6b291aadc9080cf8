// Tensor core products of float16 or bfloat16: `In` is the type, HALF its name in PTX. Of lane = 4
// g + t, a register holds two neighbours along k: a rows g, g + 8, g, g + 8 from columns 2t, 2t, 2t
// + 8, 2t + 8; b rows from 2t and 2t + 8 of column g; d single results of rows g, g, g + 8, g + 8
// and columns 2t, 2t + 1, 2t, 2t + 1.
#pragma once
#include "prelude.cuh"

// d += a * b, 16 x 8 x 16.
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." HALF "." HALF
               ".f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ uint32_t pair_of(float low, float high) {
  uint32_t pair;
  asm("cvt.rn." HALF "x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
