// A warp's matrix product, computed from the fragments of its lanes.
#pragma once
#include "prelude.cuh"

__device__ inline float element(uint32_t bits, int half) {
  if (!SIXTEEN_BIT) return __uint_as_float(bits & 0xffffe000u);
  In x;
  *(uint16_t*)&x = uint16_t(bits >> 16 * half);
  return load(x);
}
__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4],
                                         const uint32_t (&b)[2]) {
  const int lane = threadIdx.x % 32;
  uint32_t left[2][32][2], right[32][2];
  for (int kh = 0; kh < 2; ++kh) emulated_gather(a[2 * kh], a[2 * kh + 1], left[kh]);
  emulated_gather(b[0], b[1], right);
  for (int j = 0; j < 4; ++j)
    for (int k = 0; k < KSTEP; ++k) {
      const int kq = SIXTEEN_BIT ? k % 8 / 2 : k % 4, kh = SIXTEEN_BIT ? k / 8 : k / 4;
      c[j] += element(left[kh][lane / 4 * 4 + kq][j / 2], k % 2) *
              element(right[(lane % 4 * 2 + j % 2) * 4 + kq][kh], k % 2);
    }
}
