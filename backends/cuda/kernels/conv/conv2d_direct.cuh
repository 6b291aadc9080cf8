// Plain convolutions of any shape: a thread per result.
#pragma once
#include "conv/conv2d_problem.cuh"

__device__ A convolve(const Conv& c, const T* x, const T* kernel, int n, int oh, int ow, int f) {
  const int depth = c.channels / c.groups, first = f / (c.filters / c.groups) * depth;
  A sum = 0;
  for (int kh = 0; kh < c.kernel_h; ++kh) {
    const int h = oh * c.stride_h - c.pad_top + kh * c.dilation_h;
    if (h < 0 || h >= c.height) continue;
    for (int kw = 0; kw < c.kernel_w; ++kw) {
      const int w = ow * c.stride_w - c.pad_left + kw * c.dilation_w;
      if (w < 0 || w >= c.width) continue;
      const T* pixel = x + ((int64_t(n) * c.height + h) * c.width + w) * c.channels + first;
      const T* weights = kernel + int64_t(kh * c.kernel_w + kw) * depth * c.filters + f;
      for (int d = 0; d < depth; ++d) sum += load(pixel[d]) * load(weights[int64_t(d) * c.filters]);
    }
  }
  return sum;
}

extern "C" __global__ void conv2d_forward(Conv c, const T* x, const T* kernel, const T* bias, T* y,
                                          int64_t items) {
  begin_kernel();
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int f = int(i % c.filters);
    const int64_t pixel = i / c.filters;
    const int ow = int(pixel % c.out_width), oh = int(pixel / c.out_width % c.out_height);
    A sum = convolve(c, x, kernel, int(pixel / c.out_width / c.out_height), oh, ow, f);
    if (BIAS) sum += load(bias[f]);
    if (RELU && sum < 0) sum = 0;
    y[i] = store<T>(sum);
  }
}

// 255: relu cut it off.
extern "C" __global__ void conv2d_pooled(Conv c, const T* x, const T* kernel, const T* bias, T* y,
                                         uint8_t* index, int64_t items) {
  begin_kernel();
  const int rows = c.out_height / c.pool_h, columns = c.out_width / c.pool_w;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int f = int(i % c.filters);
    const int64_t window = i / c.filters;
    const int pw = int(window % columns), ph = int(window / columns % rows);
    A best = 0;
    int where = 0;
    for (int place = 0; place < c.pool_h * c.pool_w; ++place) {
      const A sum = convolve(c, x, kernel, int(window / columns / rows),
                             ph * c.pool_h + place / c.pool_w, pw * c.pool_w + place % c.pool_w, f);
      if (place > 0 && !(sum > best || sum != sum)) continue;
      best = sum;
      where = place;
    }
    best += load(bias[f]);
    if (RELU && !(best > 0)) where = 255;
    if (RELU && best < 0) best = 0;
    y[i] = store<T>(best);
    index[i] = uint8_t(where);
  }
}
