// Matrix products by the four warps of a block together (wgmma), of 64 rows in their registers and
// a tile in shared memory. Between begin_products and wait_for_products the tensor cores own the
// registers. ASYNCHRONOUS is 0 if each warp multiplies separately.
#pragma once
#include "prelude.cuh"

#define ASYNCHRONOUS WARPGROUPS
#define FOUR(j) "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
#if ASYNCHRONOUS
#define SIXTEEN(j) FOUR(j), FOUR(j + 1), FOUR(j + 2), FOUR(j + 3)
// d = a * b (+ d, if add), 64 x COLUMNS x 16; element (k, n) of b is in row n, column k, or
// transposed if ACROSS.
template <int COLUMNS, int ACROSS>
__device__ __forceinline__ void warpgroup_mma(float (*d)[4], const uint32_t (&a)[4], uint32_t b,
                                              int add) {
  static_assert(COLUMNS == 32 || COLUMNS == 64, "what is written here");
  if constexpr (COLUMNS == 32)
    asm volatile(
        "{.reg .pred p; .reg .b64 b; setp.ne.b32 p, %21, 0; mov.b64 b, {%20, 0x40000040};"
        "wgmma.mma_async.sync.aligned.m64n32k16.f32." HALF "." HALF
        " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19}, b, p, 1, 1, "
        "%22;}"
        : SIXTEEN(0)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"(add), "n"(ACROSS));
  else
    asm volatile(
        "{.reg .pred p; .reg .b64 b; setp.ne.b32 p, %37, 0; mov.b64 b, {%36, 0x40000040};"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32." HALF "." HALF
        " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%"
        "24,%25,%26,%27,"
        "%28,%29,%30,%31}, {%32,%33,%34,%35}, b, p, 1, 1, %38;}"
        : SIXTEEN(0), SIXTEEN(4)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"(add), "n"(ACROSS));
}
// The low word of the descriptor of a tile in panels of 128-byte rows, 1024 bytes between groups of
// 8 rows.
__device__ __forceinline__ uint32_t described(const In* tile) {
  return uint32_t(__cvta_generic_to_shared(tile)) >> 4 | 1024 >> 4 << 16;
}
#endif

__device__ __forceinline__ void begin_products() {
#if ASYNCHRONOUS
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void end_of_products() {
#if ASYNCHRONOUS
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
// Waits until all groups of products but the last STILL_COMING are done; `d` belongs to one of
// these.
template <int STILL_COMING, int N>
__device__ __forceinline__ void wait_for_products(float (&d)[N][4]) {
#if ASYNCHRONOUS
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(STILL_COMING) : "memory");
#pragma unroll
  for (int j = 0; j < N; ++j) asm volatile("" : FOUR(j)::"memory");
#endif
}
// Makes a loaded tile visible to tensor cores after this and a barrier.
__device__ __forceinline__ void show_tiles() {
#if ASYNCHRONOUS
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
