#pragma once

namespace stoker::cuda {

// Tensor core products of halves in a kernel's text, with `In` the half type and HALF its name in
// PTX. Of lane = 4 g + t, a register holds two neighbours along k: a rows
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
  uint32_t left[2][32][2], right[32][2];
  for (int high = 0; high < 2; ++high) emulated_gather(a[2 * high], a[2 * high + 1], left[high]);
  emulated_gather(b[0], b[1], right);
  for (int k = 0; k < 16; ++k)
    for (int i = 0; i < 4; ++i)
      d[i] += half_of(left[k / 8][4 * g + k % 8 / 2][i / 2], k % 2) *
              half_of(right[4 * (2 * t + i % 2) + k % 8 / 2][k / 8], k % 2);
#else
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." HALF "." HALF ".f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

__device__ __forceinline__ uint32_t pair_of(float low, float high) {
#ifdef STOKER_EMULATED
  return uint32_t(store<In>(low).bits) | uint32_t(store<In>(high).bits) << 16;
#else
  uint32_t pair;
  asm("cvt.rn." HALF "x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#endif
}

// A warp's results, two neighbouring tiles of 8 columns each, as left operands of 16.
template <int N> __device__ __forceinline__ void as_left(uint32_t (&a)[N][4], const float (&d)[2 * N][4]) {
#pragma unroll
  for (int k = 0; k < N; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i) a[k][i] = pair_of(d[2 * k + i / 2][i % 2 * 2], d[2 * k + i / 2][i % 2 * 2 + 1]);
}

// A left operand from global memory: 16 rows, of which `rows` exist, and columns from k on.
__device__ __forceinline__ void load_left(uint32_t (&a)[4], const In* m, int ld, int rows, int k) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = g + i % 2 * 8;
    a[i] = row < rows ? *(const uint32_t*)(m + row * ld + k + 2 * t + i / 2 * 8) : 0u;
  }
}

)cuda";

// Their tiles of STEP rows in shared memory, as WARPGROUPS wants them, and how a block's THREADS
// fetch them.
inline constexpr const char* half_tile_text = R"cuda(
// Where an element of a tile of N columns lies, without bank conflicts: for warpgroups in panels of 64 columns,
// the 16-byte pieces of a row exchanged as tensor cores know it; else in rows of N + 8.
template <int N> __device__ __forceinline__ int place(int row, int column) {
#if WARPGROUPS
  return column / 64 * (STEP * 64) + row * 64 + (column / 8 % 8 ^ row % 8) * 8 + column % 8;
#else
  return row * (N + 8) + column;
#endif
}

// Right operands for columns n to n + 15, two tiles, and k to k + 15. The element (k, n) lies in row n, column k.
template <int N> __device__ __forceinline__ void load_along(uint32_t (&b)[2][2], const In* s, int n, int k) {
  const int lane = threadIdx.x % 32;
#ifdef STOKER_EMULATED
  for (int tile = 0; tile < 2; ++tile)
    for (int high = 0; high < 2; ++high)
      b[tile][high] = *(const uint32_t*)(s + place<N>(n + tile * 8 + lane / 4, k + high * 8 + lane % 4 * 2));
#else
  const In* row = s + place<N>(n + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(b[0][0]), "=r"(b[0][1]), "=r"(b[1][0]), "=r"(b[1][1])
               : "r"(uint32_t(__cvta_generic_to_shared(row))) : "memory");
#endif
}
// The same where the element lies in row k, column n.
template <int N> __device__ __forceinline__ void load_across(uint32_t (&b)[2][2], const In* s, int k, int n) {
  const int lane = threadIdx.x % 32;
#ifdef STOKER_EMULATED
  for (int tile = 0; tile < 2; ++tile)
    for (int high = 0; high < 2; ++high) {
      const int row = k + high * 8 + lane % 4 * 2, column = n + tile * 8 + lane / 4;
      b[tile][high] = uint32_t(s[place<N>(row, column)].bits) | uint32_t(s[place<N>(row + 1, column)].bits) << 16;
    }
#else
  const In* row = s + place<N>(k + lane / 8 % 2 * 8 + lane % 8, n + lane / 16 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(b[0][0]), "=r"(b[0][1]), "=r"(b[1][0]), "=r"(b[1][1])
               : "r"(uint32_t(__cvta_generic_to_shared(row))) : "memory");
#endif
}

// BYTES (8 or 16) into shared memory, asynchronously; zeros where there is nothing.
template <int BYTES> __device__ __forceinline__ void fetch(void* to, const void* from, bool inside) {
#ifdef STOKER_EMULATED
  for (int i = 0; i < BYTES / 4; ++i) ((uint32_t*)to)[i] = inside ? ((const uint32_t*)from)[i] : 0u;
#else
  const uint32_t place = uint32_t(__cvta_generic_to_shared(to));
  if constexpr (BYTES == 16)  // past the L1 cache
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from), "r"(inside ? 16 : 0) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(place), "l"(from), "n"(BYTES), "r"(inside ? BYTES : 0) : "memory");
#endif
}
// A tile of N columns from row `first` on, of which `rows` exist.
template <int N> __device__ __forceinline__ void fetch_rows(In* to, const In* from, int first, int rows) {
  constexpr int PER_ROW = N / 8, PIECES = STEP * PER_ROW;
#pragma unroll
  for (int i = 0; i < (PIECES + THREADS - 1) / THREADS; ++i) {
    const int piece = i * THREADS + threadIdx.x, row = piece / PER_ROW, column = piece % PER_ROW * 8;
    if (PIECES % THREADS == 0 || piece < PIECES)
      fetch<16>(to + place<N>(row, column), from + int64_t(first + row) * N + column, first + row < rows);
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
