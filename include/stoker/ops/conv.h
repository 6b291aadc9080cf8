#pragma once
#include <array>

#include "stoker/sizes.h"
#include "stoker/tensor.h"

namespace stoker::ops {

// Channels last: x is (batch, height, width, channels), kernel (height, width, channels / groups,
// filters).
struct Conv2DArgs {
  Sizes<2> strides = 1, dilation_rate = 1;
  Sizes<4> padding = 0;  // top, bottom, left, right
  int64_t groups = 1;
};
Tensor conv2d(const Tensor& x, const Tensor& kernel, const Conv2DArgs& args = {});
// Transposed convolution: the input gradient of a convolution of images of size {height, width}.
Tensor conv2d_transpose(const Tensor& x, const Tensor& kernel, Sizes<2> size,
                        const Conv2DArgs& args = {});

struct Pool2DArgs {
  Sizes<2> pool_size = 2, strides = 2;
  Sizes<4> padding = 0;
};
Tensor max_pool2d(const Tensor& x, const Pool2DArgs& args);
Tensor average_pool2d(const Tensor& x, const Pool2DArgs& args);  // padding is not counted

// "same" and "valid" padding for a window: {before, after}.
std::array<int64_t, 2> same_padding(int64_t size, int64_t window, int64_t stride,
                                    int64_t dilation = 1);

}  // namespace stoker::ops
