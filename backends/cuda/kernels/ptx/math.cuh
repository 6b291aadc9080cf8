// Functions that are single instructions.
#pragma once
#include "prelude.cuh"

// Accurate to bfloat16's precision.
__device__ __forceinline__ float quick_tanh(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float power_of_2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
// The maximum; NaN propagates.
__device__ __forceinline__ float larger(float x, float y) {
  float most;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(x), "f"(y));
  return most;
}
