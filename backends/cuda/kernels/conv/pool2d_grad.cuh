// A thread per pixel gathers, so that overlapping windows are summed in a fixed order.
#pragma once
#include "conv/pool2d_spans.cuh"

extern "C" __global__ void pool2d_grad(Conv c, const T* dy, const uint8_t* where, T* dx,
                                       int64_t items) {
  begin_kernel();
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int channel = int(i % c.channels);
    const int64_t pixel = i / c.channels;
    const int w = int(pixel % c.width), h = int(pixel / c.width % c.height);
    const int64_t image = pixel / c.width / c.height * c.out_height;
    const Span rows = seen_by(h, c.stride_h, c.pad_top, c.kernel_h, c.out_height);
    const Span columns = seen_by(w, c.stride_w, c.pad_left, c.kernel_w, c.out_width);
    A sum = 0;
    for (int oh = rows.first; oh < rows.end; ++oh)
      for (int ow = columns.first; ow < columns.end; ++ow) {
        const int64_t at = ((image + oh) * c.out_width + ow) * c.channels + channel;
        if (AVERAGE) {
          sum += load(dy[at]) / A(count(inside(oh, c.stride_h, c.pad_top, c.kernel_h, c.height),
                                        inside(ow, c.stride_w, c.pad_left, c.kernel_w, c.width)));
        } else {
          // An index outside the window, as a cut-off maximum has, matches no pixel.
          const int place =
              (h - oh * c.stride_h + c.pad_top) * c.kernel_w + w - ow * c.stride_w + c.pad_left;
          if (where[at] == place) sum += load(dy[at]);
        }
      }
    dx[i] = store<T>(sum);
  }
}
