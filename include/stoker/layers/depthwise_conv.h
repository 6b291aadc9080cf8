#pragma once
#include "stoker/activation.h"
#include "stoker/layer.h"
#include "stoker/sizes.h"

namespace stoker::layers {

template <size_t n>
struct DepthwiseConvArgs {
  Sizes<n> kernel_size = {}, strides = 1;
  std::string padding = "valid";              // or "same"
  int64_t depth_multiplier = 1;               // filters per channel
  std::string data_format = "channels_last";  // or "channels_first"
  Sizes<n> dilation_rate = 1;
  stoker::Activation activation = {};
  bool use_bias = true;
  Initializer depthwise_initializer = "glorot_uniform", bias_initializer = "zeros";
  Regularizer depthwise_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint depthwise_constraint = {}, bias_constraint = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
using DepthwiseConv1DArgs = DepthwiseConvArgs<1>;
using DepthwiseConv2DArgs = DepthwiseConvArgs<2>;

// Each channel is convolved separately.
LayerRef DepthwiseConv1D(const DepthwiseConv1DArgs& args,
                         std::source_location created = std::source_location::current());
LayerRef DepthwiseConv2D(const DepthwiseConv2DArgs& args,
                         std::source_location created = std::source_location::current());

template <size_t n>
struct SeparableConvArgs {
  int64_t filters = 0;
  Sizes<n> kernel_size = {}, strides = 1;
  std::string padding = "valid";              // or "same"
  std::string data_format = "channels_last";  // or "channels_first"
  Sizes<n> dilation_rate = 1;
  int64_t depth_multiplier = 1;
  stoker::Activation activation = {};
  bool use_bias = true;
  Initializer depthwise_initializer = "glorot_uniform", pointwise_initializer = "glorot_uniform",
              bias_initializer = "zeros";
  Regularizer depthwise_regularizer = {}, pointwise_regularizer = {}, bias_regularizer = {},
              activity_regularizer = {};
  Constraint depthwise_constraint = {}, pointwise_constraint = {}, bias_constraint = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
using SeparableConv1DArgs = SeparableConvArgs<1>;
using SeparableConv2DArgs = SeparableConvArgs<2>;

// A depthwise convolution followed by a pointwise (1x1) convolution.
LayerRef SeparableConv1D(const SeparableConv1DArgs& args,
                         std::source_location created = std::source_location::current());
LayerRef SeparableConv2D(const SeparableConv2DArgs& args,
                         std::source_location created = std::source_location::current());

}  // namespace stoker::layers
