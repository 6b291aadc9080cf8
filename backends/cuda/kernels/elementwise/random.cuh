#pragma once
#include "prelude.cuh"

// The generator of src/core/philox.h, with the same numbers as on the CPU. Four consecutive
// elements share a block of random words, whose counter is their position / 4. `offset` is the
// position of the first element.
__device__ __forceinline__ void philox(uint64_t key, uint64_t low, uint64_t high,
                                       uint32_t (&c)[4]) {
  c[0] = uint32_t(low);
  c[1] = uint32_t(low >> 32);
  c[2] = uint32_t(high);
  c[3] = uint32_t(high >> 32);
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t(0xD2511F53u) * c[0], p1 = uint64_t(0xCD9E8D57u) * c[2];
    const uint32_t a = uint32_t(p1 >> 32) ^ c[1] ^ k0, b = uint32_t(p0 >> 32) ^ c[3] ^ k1;
    c[0] = a;
    c[1] = uint32_t(p1);
    c[2] = b;
    c[3] = uint32_t(p0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}
__device__ __forceinline__ float uniform(uint32_t bits) {
  return float(bits >> 8) * (1.0f / 16777216.0f);
}
// Box-Muller transform of two words, in double as on the CPU.
__device__ __forceinline__ void normal(uint32_t a, uint32_t b, float& x, float& y) {
  const double u = (double(a) + 1.0) * (1.0 / 4294967296.0), v = double(b) * (1.0 / 4294967296.0);
  const double radius = sqrt(-2.0 * log(u)), angle = 6.283185307179586 * v;
  x = float(radius * cos(angle));
  y = float(radius * sin(angle));
}
extern "C" __global__ void __launch_bounds__(256)
    draw(const int64_t* counter, float* out, int64_t size, int64_t key, int64_t offset) {
  begin_kernel();
  const int64_t block = blockIdx.x * int64_t(256) + threadIdx.x, at = block * 4 - offset % 4;
  if (at >= size) return;
  uint32_t words[4];
  philox(uint64_t(key), uint64_t(offset / 4 + block), uint64_t(counter[0]), words);
  float x[4];
  if (NORMAL) {
    normal(words[0], words[1], x[0], x[1]);
    normal(words[2], words[3], x[2], x[3]);
  } else {
    for (int i = 0; i < 4; ++i) x[i] = uniform(words[i]);
  }
  for (int i = 0; i < 4; ++i)
    if (at + i >= 0 && at + i < size) out[at + i] = x[i];
}
