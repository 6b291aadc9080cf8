#pragma once
#include "stoker/activation.h"
#include "stoker/layer.h"
#include "stoker/sizes.h"

namespace stoker::layers {

template <size_t n>
struct ConvTransposeArgs {
  int64_t filters = 0;
  Sizes<n> kernel_size = {}, strides = 1;
  std::string padding = "valid";              // or "same"
  Sizes<n> output_padding = {};               // added to the output's size at one end
  std::string data_format = "channels_last";  // or "channels_first"
  Sizes<n> dilation_rate = 1;
  stoker::Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform", bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
using Conv1DTransposeArgs = ConvTransposeArgs<1>;
using Conv2DTransposeArgs = ConvTransposeArgs<2>;
using Conv3DTransposeArgs = ConvTransposeArgs<3>;

// Transposed convolution: strides make the output larger.
LayerRef Conv1DTranspose(const Conv1DTransposeArgs& args,
                         std::source_location created = std::source_location::current());
LayerRef Conv2DTranspose(const Conv2DTransposeArgs& args,
                         std::source_location created = std::source_location::current());
LayerRef Conv3DTranspose(const Conv3DTransposeArgs& args,
                         std::source_location created = std::source_location::current());

}  // namespace stoker::layers
