#pragma once
#include "stoker/activation.h"
#include "stoker/layer.h"
#include "stoker/sizes.h"

namespace stoker::layers {

// Arguments of an LSTM with convolutions over n spatial axes instead of matrix products.
template <size_t n>
struct ConvLSTMArgs {
  int64_t filters = 0;
  Sizes<n> kernel_size = {}, strides = 1;
  std::string padding = "valid";              // or "same"; that of states is always "same"
  std::string data_format = "channels_last";  // or "channels_first"
  Sizes<n> dilation_rate = 1;
  stoker::Activation activation = "tanh", recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform", recurrent_initializer = "orthogonal",
              bias_initializer = "zeros";
  bool unit_forget_bias = true;
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {},
              activity_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  std::optional<int64_t> seed = {};
  bool return_sequences = false, return_state = false, go_backwards = false, stateful = false,
       unroll = false, zero_output_for_mask = false;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
using ConvLSTM1DArgs = ConvLSTMArgs<1>;
using ConvLSTM2DArgs = ConvLSTMArgs<2>;
using ConvLSTM3DArgs = ConvLSTMArgs<3>;

// (batch, time, sizes …, channels) → images, or sequences of images; called like an LSTM.
LayerRef ConvLSTM1D(const ConvLSTM1DArgs& args,
                    std::source_location created = std::source_location::current());
LayerRef ConvLSTM2D(const ConvLSTM2DArgs& args,
                    std::source_location created = std::source_location::current());
LayerRef ConvLSTM3D(const ConvLSTM3DArgs& args,
                    std::source_location created = std::source_location::current());

}  // namespace stoker::layers
