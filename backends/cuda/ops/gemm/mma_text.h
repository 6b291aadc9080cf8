#pragma once

namespace stoker::cuda {

// Tensor core products in a kernel's text. Of lane = 4 g + t: a holds rows g, g + 8, g, g + 8 of
// columns t, t, t + 4, t + 4; b rows t, t + 4 of column g; d rows g, g, g + 8, g + 8 of columns
// 2t, 2t + 1, 2t, 2t + 1.
inline constexpr const char* mma_text = R"cuda(
// Rounded to the bits that the tensor core reads of a float; it does not look at the others.
__device__ __forceinline__ float to_tf32(float x) {
  uint32_t bits = __float_as_uint(x) + 0x1000u;
#ifdef STOKER_EMULATED
  bits &= 0xffffe000u;
#endif
  return x == x ? __uint_as_float(bits) : x;
}
// What is stored as a half is exact as it is.
template <class T> __device__ __forceinline__ float load_tf32(const T& x) {
  return sizeof(T) == 2 ? float(load(x)) : to_tf32(load(x));
}

// The larger one; a NaN stays one.
__device__ __forceinline__ float larger(float x, float y) {
#ifdef STOKER_EMULATED
  return x > y || x != x ? x : y;
#else
  float most;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(x), "f"(y));
  return most;
#endif
}

// Up to 16 bytes read or written at once.
template <int bytes> struct Words;
template <> struct Words<16> { typedef uint4 type; };
template <> struct Words<8> { typedef uint2 type; };
template <> struct Words<4> { typedef uint32_t type; };
template <> struct Words<2> { typedef uint16_t type; };
template <> struct Words<1> { typedef uint8_t type; };
template <class Pack> union AsWords {
  typename Words<sizeof(Pack)>::type word;
  Pack pack;
};
template <class Pack> __device__ __forceinline__ Pack read_pack(const void* from) {
  AsWords<Pack> both;
  both.word = *static_cast<const decltype(both.word)*>(from);
  return both.pack;
}

__device__ __forceinline__ uint32_t bits_of(float x) { return __float_as_uint(x); }
__device__ __forceinline__ uint32_t bits_of(float16 x) { return x.bits; }
__device__ __forceinline__ uint32_t bits_of(bfloat16 x) { return x.bits; }
__device__ __forceinline__ uint32_t bits_of(uint8_t x) { return x; }
// In PTX, because the compiler takes some of these apart.
__device__ __forceinline__ void write_words(uint4* to, const uint32_t (&w)[4]) {
#ifdef STOKER_EMULATED
  *to = make_uint4(w[0], w[1], w[2], w[3]);
#else
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory");
#endif
}
__device__ __forceinline__ void write_words(uint2* to, const uint32_t (&w)[2]) {
  *to = make_uint2(w[0], w[1]);
}
__device__ __forceinline__ void write_words(uint32_t* to, const uint32_t (&w)[1]) { *to = w[0]; }
__device__ __forceinline__ void write_words(uint16_t* to, const uint32_t (&w)[1]) { *to = w[0]; }
template <class V, int n> __device__ __forceinline__ void write_pack(V* to, const V (&values)[n]) {
  constexpr int per_word = 4 / sizeof(V);
  uint32_t words[(n + per_word - 1) / per_word] = {};
#pragma unroll
  for (int i = 0; i < n; ++i)
    words[i / per_word] |= bits_of(values[i]) << (i % per_word * 8 * sizeof(V));
  write_words(reinterpret_cast<typename Words<n * sizeof(V)>::type*>(to), words);
}

// d += a * b, 16 x 8 x 8.
__device__ __forceinline__ void mma_tf32(float (&d)[4], const float (&a)[4], const float (&b)[2]) {
#ifdef STOKER_EMULATED
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  uint32_t left[2][32][2], right[32][2];
  for (int high = 0; high < 2; ++high)
    emulated_gather(bits_of(a[2 * high]), bits_of(a[2 * high + 1]), left[high]);
  emulated_gather(bits_of(b[0]), bits_of(b[1]), right);
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < 4; ++i)
      d[i] += __uint_as_float(left[k / 4][4 * g + k % 4][i / 2]) *
              __uint_as_float(right[4 * (2 * t + i % 2) + k % 4][k / 4]);
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
