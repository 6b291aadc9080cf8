#pragma once

namespace stoker::cuda {

// Tensor core products of halves in a kernel's text, with `In` the half type, MMA its instruction
// and THREADS a block's threads. Of lane = 4 g + t, a register holds two neighbours along k: a rows
// g, g + 8, g, g + 8 from columns 2t, 2t, 2t + 8, 2t + 8; b rows from 2t and 2t + 8 of column g; d
// single results of rows g, g, g + 8, g + 8 and columns 2t, 2t + 1, 2t, 2t + 1.
inline constexpr const char* half_mma_text = R"cuda(
#ifdef STOKER_EMULATED
__device__ inline float half_of(uint32_t pair, int which) {
  In x;
  x.bits = uint16_t(pair >> 16 * which);
  return load(x);
}
#endif
// d += a * b, 16 x 8 x 16.
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#ifdef STOKER_EMULATED
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  for (int k = 0; k < 16; ++k) {
    const int high = k / 8, at = k % 8 / 2;
    const uint32_t top = __shfl_sync(0xffffffffu, a[2 * high], 4 * g + at);
    const uint32_t bottom = __shfl_sync(0xffffffffu, a[2 * high + 1], 4 * g + at);
    for (int column = 0; column < 2; ++column) {
      const uint32_t right = __shfl_sync(0xffffffffu, b[high], 4 * (2 * t + column) + at);
      d[column] += half_of(top, k % 2) * half_of(right, k % 2);
      d[2 + column] += half_of(bottom, k % 2) * half_of(right, k % 2);
    }
  }
#else
  asm volatile("mma.sync.aligned." MMA " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

__device__ __forceinline__ uint32_t pair_of(float low, float high) {
  return uint32_t(store<In>(low).bits) | uint32_t(store<In>(high).bits) << 16;
}

// What a warp has as results of two neighbouring tiles of 8 columns, as a left operand of 16.
__device__ __forceinline__ void as_left(uint32_t (&a)[4], const float (&low)[4], const float (&high)[4]) {
  a[0] = pair_of(low[0], low[1]), a[1] = pair_of(low[2], low[3]);
  a[2] = pair_of(high[0], high[1]), a[3] = pair_of(high[2], high[3]);
}

// A left operand from global memory: 16 rows, of which `rows` exist, and columns from k on.
__device__ __forceinline__ void load_left(uint32_t (&a)[4], const In* m, int64_t ld, int64_t rows, int k) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = g + i % 2 * 8;
    a[i] = row < rows ? *(const uint32_t*)(m + row * ld + k + 2 * t + i / 2 * 8) : 0u;
  }
}

// Right operands for columns n to n + 15, two tiles, and k to k + 15. The element (k, n) lies at s[n][k].
__device__ __forceinline__ void load_along(uint32_t (&b)[2][2], const In* s, int ld, int n, int k) {
  const int lane = threadIdx.x % 32;
#ifdef STOKER_EMULATED
  for (int tile = 0; tile < 2; ++tile)
    for (int high = 0; high < 2; ++high)
      b[tile][high] = *(const uint32_t*)(s + (n + tile * 8 + lane / 4) * ld + k + high * 8 + lane % 4 * 2);
#else
  const In* row = s + (n + lane / 16 * 8 + lane % 8) * ld + k + lane / 8 % 2 * 8;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(b[0][0]), "=r"(b[0][1]), "=r"(b[1][0]), "=r"(b[1][1])
               : "r"(uint32_t(__cvta_generic_to_shared(row))) : "memory");
#endif
}
// The same where the element lies at s[k][n].
__device__ __forceinline__ void load_across(uint32_t (&b)[2][2], const In* s, int ld, int k, int n) {
  const int lane = threadIdx.x % 32;
#ifdef STOKER_EMULATED
  for (int tile = 0; tile < 2; ++tile)
    for (int high = 0; high < 2; ++high) {
      const In* first = s + (k + high * 8 + lane % 4 * 2) * ld + n + tile * 8 + lane / 4;
      b[tile][high] = uint32_t(first[0].bits) | uint32_t(first[ld].bits) << 16;
    }
#else
  const In* row = s + (k + lane / 8 % 2 * 8 + lane % 8) * ld + n + lane / 16 * 8;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(b[0][0]), "=r"(b[0][1]), "=r"(b[1][0]), "=r"(b[1][1])
               : "r"(uint32_t(__cvta_generic_to_shared(row))) : "memory");
#endif
}

// ROWS rows of COLUMNS elements from row `first` on, of which `rows` exist, into shared rows of COLUMNS + 8;
// asynchronously, as one group.
template <int ROWS, int COLUMNS>
__device__ __forceinline__ void fetch_rows(In* to, const In* from, int64_t first, int64_t rows) {
  constexpr int PER_ROW = COLUMNS / 8;
#pragma unroll
  for (int i = threadIdx.x; i < ROWS * PER_ROW; i += THREADS) {
    const int row = i / PER_ROW, column = i % PER_ROW * 8;
    const bool inside = first + row < rows;
    In* place = to + row * (COLUMNS + 8) + column;
    const In* source = from + (inside ? first + row : 0) * COLUMNS + column;
#ifdef STOKER_EMULATED
    for (int j = 0; j < 8; ++j) place[j].bits = inside ? source[j].bits : uint16_t(0);
#else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(uint32_t(__cvta_generic_to_shared(place))),
                 "l"(source), "r"(inside ? 16 : 0) : "memory");
#endif
  }
}
__device__ __forceinline__ void end_of_group() {
#ifndef STOKER_EMULATED
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int STILL_COMING> __device__ __forceinline__ void wait_for_group() {
#ifndef STOKER_EMULATED
  asm volatile("cp.async.wait_group %0;" ::"n"(STILL_COMING) : "memory");
#endif
}
)cuda";

}  // namespace stoker::cuda
