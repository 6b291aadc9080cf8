#pragma once
#include "nn/layers/spatial_layer.h"
#include "stoker/ops/spatial.h"

namespace stoker::nn {

// Arguments of all convolutions …
template <class Args, class V>
void visit_window(Args& a, V& v) {
  v("kernel_size", a.kernel_size, required);
  v("strides", a.strides);
  v("padding", a.padding);
  v("data_format", a.data_format);
  v("dilation_rate", a.dilation_rate);
  v("activation", a.activation);
  v("use_bias", a.use_bias);
  v("bias_initializer", a.bias_initializer);
  v("bias_regularizer", a.bias_regularizer);
  v("activity_regularizer", a.activity_regularizer);
  v("bias_constraint", a.bias_constraint);
  visit_layer(a, v);
}
// … of convolutions with one kernel for all channels …
template <class Args, class V>
void visit_kernel(Args& a, V& v) {
  v("kernel_initializer", a.kernel_initializer);
  v("kernel_regularizer", a.kernel_regularizer);
  v("kernel_constraint", a.kernel_constraint);
}
// … and of depthwise ones.
template <class Args, class V>
void visit_depthwise_kernel(Args& a, V& v) {
  v("depth_multiplier", a.depth_multiplier);
  v("depthwise_initializer", a.depthwise_initializer);
  v("depthwise_regularizer", a.depthwise_regularizer);
  v("depthwise_constraint", a.depthwise_constraint);
}

// The common part of all convolutions: checks, a bias for each output channel and the activation.
template <class Args, size_t n>
class ConvLayer : public SpatialLayer<Args, n> {
 public:
  ConvLayer(const char* class_name, const Args& args, std::source_location created)
      : SpatialLayer<Args, n>(class_name, args, created) {
    this->expect_all_positive("kernel_size", args.kernel_size);
    this->expect_all_positive("strides", args.strides);
    this->expect_all_positive("dilation_rate", args.dilation_rate);
    if constexpr (requires { args.filters; }) this->expect_positive("filters", {args.filters});
    if constexpr (requires { args.depth_multiplier; })
      this->expect_positive("depth_multiplier", {args.depth_multiplier});
  }

  // Keras applies the activation in the input's data format, so that with channels_first a softmax
  // runs over the last spatial axis.
  Tensor call(const Tensor& x, const CallArgs& args) override {
    this->expect_input(x.shape());
    this->expect_channels(x.shape(), channels_);
    return this->args_.activation(SpatialLayer<Args, n>::call(x, args));
  }

 protected:
  void expect_channels_known(const Shape& input) {
    this->expect_input(input);
    channels_ = this->known_channels(input);
  }
  void expect_one_of_strides_and_dilation() const {
    const auto large = [](const auto& sizes) {
      return *std::max_element(sizes.begin(), sizes.end()) > 1;
    };
    if (large(this->args_.strides) && large(this->args_.dilation_rate))
      this->fail("strides and dilation_rate cannot both be greater than 1.");
  }

  Shape kernel_shape(int64_t inner, int64_t outer) const {
    auto dims = list<n>(this->args_.kernel_size);
    dims.insert(dims.end(), {inner, outer});
    return Shape(std::move(dims));
  }
  void add_bias_weight(int64_t size) {
    if (this->args_.use_bias)
      bias_ = this->add_weight("bias", {.shape = {size},
                                        .initializer = this->args_.bias_initializer,
                                        .regularizer = this->args_.bias_regularizer,
                                        .constraint = this->args_.bias_constraint});
  }
  Tensor with_bias(const Tensor& y) const { return this->args_.use_bias ? y + bias_ : y; }

  ops::ConvArgs window_args(std::vector<int64_t> padding) const {
    return {.strides = list<n>(this->args_.strides),
            .dilation_rate = list<n>(this->args_.dilation_rate),
            .padding = std::move(padding)};
  }
  // Of a sliding window over x with the layer's padding.
  ops::ConvArgs sliding_args(const Tensor& x) const {
    const auto& a = this->args_;
    auto padding = this->padding_of(x.shape(), a.kernel_size, a.strides, a.dilation_rate);
    this->expect_fits(x.shape(), a.kernel_size, a.dilation_rate, padding);
    return window_args(std::move(padding));
  }

  int64_t channels_ = 0;
  Variable kernel_, bias_;
};

}  // namespace stoker::nn
