// Max-pooling of images whose channels can be read 16 bytes at a time: a thread per pixel and pack.
#pragma once
#include "gemm/tf32.cuh"

constexpr int PACK = 16 / sizeof(T), PACKS = C / PACK;
struct Values {
  T at[PACK];
};
struct Places {
  uint8_t at[PACK];
};

extern "C" __global__ void max_pool2d_packs(const T* x, T* y, uint8_t* where, unsigned items) {
  begin_kernel();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= items) return;
  const unsigned pixel = i / PACKS, ow = pixel % OW, oh = pixel / OW % OH, n = pixel / OW / OH;
  const int top = int(oh) * SH - PT, left = int(ow) * SW - PL;
  const T* from = x + int64_t(n) * (H * W * C) + i % PACKS * PACK;
  float best[PACK];
  int found[PACK];
  bool first = true;
#pragma unroll
  for (int place = 0; place < KH * KW; ++place) {
    const int h = top + place / KW, w = left + place % KW;
    if (h < 0 || h >= H || w < 0 || w >= W) continue;
    const Values values = read_pack<Values>(from + (h * W + w) * C);
#pragma unroll
    for (int j = 0; j < PACK; ++j) {
      const float value = load(values.at[j]);
      const bool larger = first || value > best[j] || value != value;
      best[j] = larger ? value : best[j];
      found[j] = larger ? place : found[j];
    }
    first = false;
  }
  T out[PACK];
  uint8_t places[PACK];
#pragma unroll
  for (int j = 0; j < PACK; ++j) {
    out[j] = store<T>(best[j]);
    places[j] = uint8_t(found[j]);
  }
  write_pack(y + int64_t(i) * PACK, out);
  write_pack(where + int64_t(i) * PACK, places);
}

// Gathers from every window that covers the pixel. An index outside the window matches none.
extern "C" __global__ void max_pool2d_packs_grad(const T* dy, const uint8_t* where, T* dx,
                                                 unsigned items) {
  begin_kernel();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= items) return;
  const unsigned pixel = i / PACKS;
  const int w = pixel % W + PL, h = pixel / W % H + PT;
  const int64_t image = int64_t(pixel / W / H) * (OH * OW * C) + i % PACKS * PACK;
  float sums[PACK] = {};
#pragma unroll
  for (int a = 0; a < (KH + SH - 1) / SH; ++a)
#pragma unroll
    for (int b = 0; b < (KW + SW - 1) / SW; ++b) {
      const int oh = h / SH - ((KH + SH - 1) / SH - 1 - a),
                ow = w / SW - ((KW + SW - 1) / SW - 1 - b);
      const int kh = h - oh * SH, kw = w - ow * SW;
      if (oh < 0 || oh >= OH || ow < 0 || ow >= OW || kh >= KH || kw >= KW) continue;
      const int64_t at = image + (oh * OW + ow) * C;
      const Values values = read_pack<Values>(dy + at);
      const Places places = read_pack<Places>(where + at);
#pragma unroll
      for (int j = 0; j < PACK; ++j)
        if (places.at[j] == kh * KW + kw) sums[j] += load(values.at[j]);
    }
  T out[PACK];
#pragma unroll
  for (int j = 0; j < PACK; ++j) out[j] = store<T>(sums[j]);
  write_pack(dx + int64_t(i) * PACK, out);
}
