#pragma once
#include <vector>

#include "stoker/tensor.h"

// Convolution and pooling over one, two or three spatial axes, channels last: x is (batch, sizes …,
// channels). Implemented with the ops of conv.h on reshaped tensors.
namespace stoker::ops {

// One number for each spatial axis; padding has two, {before, after}. Empty: ones, and no padding.
struct ConvArgs {
  std::vector<int64_t> strides = {}, dilation_rate = {}, padding = {};
  int64_t groups = 1;
};
// kernel: (sizes …, channels / groups, filters)
Tensor conv(const Tensor& x, const Tensor& kernel, const ConvArgs& args = {});
// kernel: (sizes …, channels, multiplier); each channel has its own filters.
Tensor depthwise_conv(const Tensor& x, const Tensor& kernel, const ConvArgs& args = {});
// Transposed convolution whose result has `sizes`. kernel: (sizes …, filters, channels)
Tensor conv_transpose(const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& sizes,
                      const ConvArgs& args = {});

struct PoolArgs {
  std::vector<int64_t> pool_size, strides, padding = {};
};
Tensor max_pool(const Tensor& x, const PoolArgs& args);
Tensor average_pool(const Tensor& x, const PoolArgs& args);  // padding is not counted

// Windows that divide each axis into `sizes` nearly equal, possibly overlapping pieces.
Tensor adaptive_max_pool(const Tensor& x, const std::vector<int64_t>& sizes);
Tensor adaptive_average_pool(const Tensor& x, const std::vector<int64_t>& sizes);

}  // namespace stoker::ops
