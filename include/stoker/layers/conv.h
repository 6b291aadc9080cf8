#pragma once
#include "stoker/activation.h"
#include "stoker/layer.h"
#include "stoker/sizes.h"

namespace stoker::layers {

// Arguments of a convolution over n spatial axes.
template <size_t n>
struct ConvArgs {
  int64_t filters = 0;
  Sizes<n> kernel_size = {}, strides = 1;
  std::string padding = "valid";              // or "same"; Conv1D also "causal"
  std::string data_format = "channels_last";  // or "channels_first"
  Sizes<n> dilation_rate = 1;
  int64_t groups = 1;
  stoker::Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform", bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
using Conv1DArgs = ConvArgs<1>;
using Conv2DArgs = ConvArgs<2>;
using Conv3DArgs = ConvArgs<3>;

LayerRef Conv1D(const Conv1DArgs& args,
                std::source_location created = std::source_location::current());
LayerRef Conv2D(const Conv2DArgs& args,
                std::source_location created = std::source_location::current());
LayerRef Conv3D(const Conv3DArgs& args,
                std::source_location created = std::source_location::current());

}  // namespace stoker::layers
