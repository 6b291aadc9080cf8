#pragma once
#include "conv/pool2d_spans.cuh"

extern "C" __global__ void average_pool2d(Conv c, const T* x, T* y, int64_t items) {
  begin_kernel();
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int channel = int(i % c.channels);
    const int64_t pixel = i / c.channels;
    const int ow = int(pixel % c.out_width), oh = int(pixel / c.out_width % c.out_height);
    const int64_t image = pixel / c.out_width / c.out_height * c.height;
    const Span rows = inside(oh, c.stride_h, c.pad_top, c.kernel_h, c.height);
    const Span columns = inside(ow, c.stride_w, c.pad_left, c.kernel_w, c.width);
    A sum = 0;
    for (int h = rows.first; h < rows.end; ++h)
      for (int w = columns.first; w < columns.end; ++w)
        sum += load(x[((image + h) * c.width + w) * c.channels + channel]);
    y[i] = store<T>(sum / A(count(rows, columns)));
  }
}
