// Elementwise functions of the layers and the optimizer.
#pragma once
#include "trainer/primitives.cuh"

template <class T>
DEVICE T* place(char* shared, int offset) {
  return (T*)(shared + offset);
}

DEVICE void improve(float& w, float& m, float& v, float g, float rate) {
  if (ADAM) {
    m = fmaf(g - m, ONE_LESS_BETA_1, m);
    v = fmaf(fmaf(g, g, -v), ONE_LESS_BETA_2, v);
    w = fmaf(-rate * m, reciprocal(square_root(v) + EPSILON), w);
  } else if (MOMENTS == 1) {
    const float step = g * rate;
    m = m * MOMENTUM - step;
    w += NESTEROV ? m * MOMENTUM - step : m;
  } else {
    w = fmaf(-rate, g, w);
  }
}

template <int l>
DEVICE float activate(float z) {
  if (ACTIVATION[l] == 1) return z <= 0.f ? 0.f : z;  // keeps NaN
  if (ACTIVATION[l] == 2) return 1.f / (1.f + __expf(-z));
  if (ACTIVATION[l] == 3) return tanhf(z);
  return z;
}
// Philox4x32-10, word `element % 4` of block `element / 4`, as on every backend.
DEVICE float uniform(u64 key, u64 element, u64 counter) {
  const u64 block = element >> 2;
  unsigned c0 = (unsigned)block, c1 = (unsigned)(block >> 32), c2 = (unsigned)counter,
           c3 = (unsigned)(counter >> 32);
  unsigned k0 = (unsigned)key, k1 = (unsigned)(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const u64 p0 = (u64)0xD2511F53u * c0, p1 = (u64)0xCD9E8D57u * c2;
    c0 = (unsigned)(p1 >> 32) ^ c1 ^ k0;
    c2 = (unsigned)(p0 >> 32) ^ c3 ^ k1;
    c1 = (unsigned)p1;
    c3 = (unsigned)p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  const unsigned word = element & 2 ? (element & 1 ? c3 : c2) : (element & 1 ? c1 : c0);
  return (float)(word >> 8) * 5.9604644775390625e-8f;
}
// An activation followed by dropout; a dropped value is marked by -0.
template <int l>
DEVICE float finish(float z, int sample, int unit, i64 calls) {
  if (l == LAYERS) return z;
  const float a = activate<l>(z);
  if (DROPOUT[l] == 0.f) return a;
  const bool kept = uniform(SEED[l], (u64)sample * WIDTH[l] + unit, (u64)calls) >= DROPOUT[l];
  return kept ? a * (1.f / (1.f - DROPOUT[l])) + 0.f : from_bits(0x80000000u);
}
// The derivative of finish() where its result is `a`.
template <int l>
DEVICE float derivative(float a) {
  constexpr float scale = 1.f / (1.f - DROPOUT[l]);
  if (DROPOUT[l] != 0.f && bits(a) == 0x80000000u) return 0.f;
  const float y = DROPOUT[l] == 0.f ? a : a * (1.f - DROPOUT[l]);
  if (ACTIVATION[l] == 1) return a > 0.f ? scale : 0.f;
  if (ACTIVATION[l] == 2) return y * (1.f - y) * scale;
  if (ACTIVATION[l] == 3) return (1.f - y * y) * scale;
  return scale;
}

template <int count>
DEVICE void read(const float* from, float (&to)[count]) {
  if constexpr (count == 4) {
    const float4 v = *(const float4*)from;
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  } else if constexpr (count == 2) {
    const float2 v = *(const float2*)from;
    to[0] = v.x, to[1] = v.y;
  } else {
    to[0] = *from;
  }
}
DEVICE constexpr int at_most(int a, int b) { return a < b ? a : b; }

// The barriers in shared memory.
struct Barriers {
  u64 parts, deltas, input[2], freed, helped;
};
DEVICE Barriers& barriers(char* shared) { return *place<Barriers>(shared, AT_barriers); }
