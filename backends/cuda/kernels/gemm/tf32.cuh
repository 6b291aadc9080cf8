// Common part of kernels on tensor cores in TF32: rounding, and vectorised access of up to 16
// bytes.
#pragma once
#include "ptx/math.cuh"
#include "ptx/mma_tf32.cuh"
#include "ptx/store.cuh"

// float16 and bfloat16 values are exact in TF32.
template <class T>
__device__ __forceinline__ float load_tf32(const T& x) {
  return sizeof(T) == 2 ? float(load(x)) : to_tf32(load(x));
}

// Reads or writes up to 16 bytes at once.
template <int bytes>
struct Words;
template <>
struct Words<16> {
  typedef uint4 type;
};
template <>
struct Words<8> {
  typedef uint2 type;
};
template <>
struct Words<4> {
  typedef uint32_t type;
};
template <>
struct Words<2> {
  typedef uint16_t type;
};
template <>
struct Words<1> {
  typedef uint8_t type;
};
template <class Pack>
union AsWords {
  typename Words<sizeof(Pack)>::type word;
  Pack pack;
};
template <class Pack>
__device__ __forceinline__ Pack read_pack(const void* from) {
  AsWords<Pack> both;
  both.word = *static_cast<const decltype(both.word)*>(from);
  return both.pack;
}

__device__ __forceinline__ uint32_t bits_of(float x) { return __float_as_uint(x); }
__device__ __forceinline__ uint32_t bits_of(float16 x) { return x.bits; }
__device__ __forceinline__ uint32_t bits_of(bfloat16 x) { return x.bits; }
__device__ __forceinline__ uint32_t bits_of(uint8_t x) { return x; }
__device__ __forceinline__ void write_words(uint2* to, const uint32_t (&w)[2]) {
  *to = make_uint2(w[0], w[1]);
}
__device__ __forceinline__ void write_words(uint32_t* to, const uint32_t (&w)[1]) { *to = w[0]; }
__device__ __forceinline__ void write_words(uint16_t* to, const uint32_t (&w)[1]) { *to = w[0]; }
template <class V, int n>
__device__ __forceinline__ void write_pack(V* to, const V (&values)[n]) {
  constexpr int per_word = 4 / sizeof(V);
  uint32_t words[(n + per_word - 1) / per_word] = {};
#pragma unroll
  for (int i = 0; i < n; ++i)
    words[i / per_word] |= bits_of(values[i]) << (i % per_word * 8 * sizeof(V));
  write_words(reinterpret_cast<typename Words<n * sizeof(V)>::type*>(to), words);
}
