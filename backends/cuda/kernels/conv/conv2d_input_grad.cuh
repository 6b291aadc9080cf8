#pragma once
#include "conv/conv2d_problem.cuh"

// The output position whose window element k reads input `in`, or -1.
__device__ int position(int in, int before, int k, int stride, int dilation, int positions) {
  const int t = in + before - k * dilation;
  return t >= 0 && t % stride == 0 && t / stride < positions ? t / stride : -1;
}

extern "C" __global__ void conv2d_input_grad(Conv c, const T* dy, const T* kernel, const T* mask,
                                             T* dx, int64_t items) {
  begin_kernel();
  const int depth = c.channels / c.groups, filters = c.filters / c.groups;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int channel = int(i % c.channels), first = channel / depth * filters;
    const int64_t pixel = i / c.channels;
    const int w = int(pixel % c.width), h = int(pixel / c.width % c.height);
    const int64_t n = pixel / c.width / c.height;
    A sum = 0;
    for (int kh = 0; kh < c.kernel_h; ++kh) {
      const int oh = position(h, c.pad_top, kh, c.stride_h, c.dilation_h, c.out_height);
      if (oh < 0) continue;
      for (int kw = 0; kw < c.kernel_w; ++kw) {
        const int ow = position(w, c.pad_left, kw, c.stride_w, c.dilation_w, c.out_width);
        if (ow < 0) continue;
        const T* out = dy + ((n * c.out_height + oh) * c.out_width + ow) * c.filters + first;
        const T* weights =
            kernel + (int64_t(kh * c.kernel_w + kw) * depth + channel % depth) * c.filters + first;
        for (int f = 0; f < filters; ++f) sum += load(out[f]) * load(weights[f]);
      }
    }
    if (MASKED && !(load(mask[i]) > 0)) sum = 0;
    dx[i] = store<T>(sum);
  }
}
