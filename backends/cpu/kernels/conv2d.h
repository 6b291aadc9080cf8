#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gemm.h"

namespace stoker::cpu {

// A 2-D convolution in Keras's layouts: images NHWC, kernels [kernel_h, kernel_w, in_c / groups,
// out_c].
struct Conv2dShape {
  int64_t batch = 1;
  int64_t in_h = 0, in_w = 0, in_c = 0;
  int64_t kernel_h = 0, kernel_w = 0, out_c = 0;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  int64_t groups = 1;
  int sum_shares = 0;  // parts of a weight gradient's sum, see sum_order.h

  int64_t out_h() const {
    return (in_h + pad_top + pad_bottom - (kernel_h - 1) * dilation_h - 1) / stride_h + 1;
  }
  int64_t out_w() const {
    return (in_w + pad_left + pad_right - (kernel_w - 1) * dilation_w - 1) / stride_w + 1;
  }
};

// Max-pooling without overlap or padding: the stride equals the window, at most 255 pixels.
struct PoolWindow {
  int64_t h = 1, w = 1;
};

// In the index array of a pooled convolution: relu cut the maximum off, so the gradient is zero.
constexpr uint8_t kNoGradient = 255;

// All workspaces are 64-byte aligned; their sizes depend on shapes and the thread count only.

// y[batch, out_h, out_w, out_c] = epilogue(x * kernel); `mask` and `accumulate` treat y as [pixels,
// out_c].
size_t conv2d_forward_workspace_bytes(const Conv2dShape& shape);
void conv2d_forward(const Conv2dShape& shape, const float* x, const float* kernel,
                    const Epilogue& epilogue, float* y, void* workspace);

// Writes only the maximum of each window, with bias and activation, and its index in the window
// (row-major; ties go to the first; kNoGradient where relu made it zero).
size_t conv2d_pool_forward_workspace_bytes(const Conv2dShape& shape, const PoolWindow& pool);
void conv2d_pool_forward(const Conv2dShape& shape, const PoolWindow& pool, const float* x,
                         const float* kernel, const float* bias, Activation activation, float* y,
                         uint8_t* index, void* workspace);

// dx = the transposed convolution of dy. The epilogue treats dx as [pixels, in_c].
size_t conv2d_input_gradient_workspace_bytes(const Conv2dShape& shape);
void conv2d_input_gradient(const Conv2dShape& shape, const float* dy, const float* kernel,
                           const Epilogue& epilogue, float* dx, void* workspace);

// d_kernel, and with d_bias not null the sums of dy over all pixels.
size_t conv2d_weight_gradient_workspace_bytes(const Conv2dShape& shape);
void conv2d_weight_gradient(const Conv2dShape& shape, const float* x, const float* dy,
                            float* d_kernel, float* d_bias, void* workspace);

// The same from the gradient of the pooled output and the indices of the forward pass; the unpooled
// gradient exists only a few rows at a time.
size_t conv2d_pool_weight_gradient_workspace_bytes(const Conv2dShape& shape,
                                                   const PoolWindow& pool);
void conv2d_pool_weight_gradient(const Conv2dShape& shape, const PoolWindow& pool, const float* x,
                                 const float* d_pooled, const uint8_t* index, float* d_kernel,
                                 float* d_bias, void* workspace);

}  // namespace stoker::cpu
