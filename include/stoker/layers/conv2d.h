#pragma once
#include <array>

#include "stoker/activation.h"
#include "stoker/layer.h"

namespace stoker::layers {

struct Conv2DArgs {
  int64_t filters = 0;
  std::array<int64_t, 2> kernel_size{0, 0}, strides{1, 1};
  std::string padding = "valid";  // or "same"
  std::string data_format = "channels_last";
  std::array<int64_t, 2> dilation_rate{1, 1};
  int64_t groups = 1;
  stoker::Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform", bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, bias_regularizer = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef Conv2D(const Conv2DArgs& args,
                std::source_location created = std::source_location::current());

}  // namespace stoker::layers
