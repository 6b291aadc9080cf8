#pragma once

namespace stoker::cuda {

// Tensor core products in a kernel's text. Of lane = 4 g + t: a holds rows g, g + 8, g, g + 8 of
// columns t, t, t + 4, t + 4; b rows t, t + 4 of column g; d rows g, g, g + 8, g + 8 of columns
// 2t, 2t + 1, 2t, 2t + 1.
inline constexpr const char* mma_text = R"cuda(
// Rounded to what the tensor core reads of a float.
__device__ __forceinline__ float to_tf32(float x) {
  const uint32_t bits = __float_as_uint(x);
  return x == x ? __uint_as_float((bits + 0x1000u) & 0xffffe000u) : x;
}

// d += a * b, 16 x 8 x 8.
__device__ __forceinline__ void mma_tf32(float (&d)[4], const float (&a)[4], const float (&b)[2]) {
#ifdef STOKER_EMULATED
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  for (int k = 0; k < 8; ++k) {
    const float top = __shfl_sync(0xffffffffu, k < 4 ? a[0] : a[2], 4 * g + k % 4);
    const float bottom = __shfl_sync(0xffffffffu, k < 4 ? a[1] : a[3], 4 * g + k % 4);
    for (int column = 0; column < 2; ++column) {
      const float right =
          __shfl_sync(0xffffffffu, k < 4 ? b[0] : b[1], 4 * (2 * t + column) + k % 4);
      d[column] += top * right;
      d[2 + column] += bottom * right;
    }
  }
#else
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
#endif
}
)cuda";

}  // namespace stoker::cuda
