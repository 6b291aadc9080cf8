#pragma once
#include "conv/conv2d_problem.cuh"

extern "C" __global__ void max_pool2d(Conv c, const T* x, T* y, uint8_t* where, int64_t items) {
  begin_kernel();
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int channel = int(i % c.channels);
    const int64_t pixel = i / c.channels;
    const int ow = int(pixel % c.out_width), oh = int(pixel / c.out_width % c.out_height);
    const int64_t image = pixel / c.out_width / c.out_height * c.height;
    A best = 0;
    int found = -1;
    for (int place = 0; place < c.kernel_h * c.kernel_w; ++place) {
      const int h = oh * c.stride_h - c.pad_top + place / c.kernel_w;
      const int w = ow * c.stride_w - c.pad_left + place % c.kernel_w;
      if (h < 0 || h >= c.height || w < 0 || w >= c.width) continue;
      const A value = load(x[((image + h) * c.width + w) * c.channels + channel]);
      if (found >= 0 && !(value > best || value != value)) continue;
      best = value;
      found = place;
    }
    y[i] = store<T>(best);
    where[i] = uint8_t(found);
  }
}
