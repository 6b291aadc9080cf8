#pragma once
#include "prelude.cuh"

// Images with their borders of zeros, element by element or in packs of 16 bytes.
extern "C" __global__ void add_borders(const T* from, T* to, int height, int width, int channels,
                                       int top, int left, int high, int wide, int64_t size) {
  begin_kernel();
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= size) return;
  const int c = i % channels;
  const int64_t at = i / channels;
  const int x = int(at % wide) - left, y = int(at / wide % high) - top;
  const bool inside = x >= 0 && x < width && y >= 0 && y < height;
  to[i] = inside ? from[((at / wide / high * height + y) * width + x) * channels + c] : T{};
}
