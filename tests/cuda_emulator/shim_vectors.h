#pragma once

// CUDA's vector types.
#define EMULATED_VECTORS(T, name)                                                     \
  struct name##1 {                                                                    \
    T x;                                                                              \
  };                                                                                  \
  struct __attribute__((aligned(2 * sizeof(T)))) name##2 {                            \
    T x, y;                                                                           \
  };                                                                                  \
  struct name##3 {                                                                    \
    T x, y, z;                                                                        \
  };                                                                                  \
  struct __attribute__((aligned(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16))) name##4 {  \
    T x, y, z, w;                                                                     \
  };                                                                                  \
  static inline constexpr name##1 make_##name##1(T x) { return {x}; }                 \
  static inline constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  static inline constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  static inline constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

EMULATED_VECTORS(signed char, char)
EMULATED_VECTORS(unsigned char, uchar)
EMULATED_VECTORS(short, short)
EMULATED_VECTORS(unsigned short, ushort)
EMULATED_VECTORS(int, int)
EMULATED_VECTORS(unsigned int, uint)
EMULATED_VECTORS(long long, longlong)
EMULATED_VECTORS(unsigned long long, ulonglong)
EMULATED_VECTORS(float, float)
EMULATED_VECTORS(double, double)
typedef uint3 dim3;
