#include "stoker/layers/depthwise_conv.h"

#include "nn/layers/convolutional/conv_layer.h"

namespace stoker::layers {

template <size_t n, class V>
void visit(DepthwiseConvArgs<n>& a, V& v) {
  nn::visit_depthwise_kernel(a, v);
  nn::visit_window(a, v);
}

namespace {

template <size_t n>
class DepthwiseConvolution : public nn::ConvLayer<DepthwiseConvArgs<n>, n> {
 public:
  DepthwiseConvolution(const char* class_name, const DepthwiseConvArgs<n>& args,
                       std::source_location created)
      : nn::ConvLayer<DepthwiseConvArgs<n>, n>(class_name, args, created) {
    this->pads_same(args.padding);
  }

  void build(const Shape& input) override {
    const auto& a = this->args_;
    this->expect_channels_known(input);
    this->kernel_ = this->add_weight(
        "kernel", {.shape = this->kernel_shape(this->channels_, a.depth_multiplier),
                   .initializer = a.depthwise_initializer,
                   .regularizer = a.depthwise_regularizer,
                   .constraint = a.depthwise_constraint});
    this->add_bias_weight(this->channels_ * a.depth_multiplier);
  }

 protected:
  Tensor compute(const Tensor& x) override {
    return this->with_bias(ops::depthwise_conv(x, this->kernel_, this->sliding_args(x)));
  }
};

const nn::RegisterLayer<DepthwiseConv1DArgs> conv1d{"DepthwiseConv1D", DepthwiseConv1D};
const nn::RegisterLayer<DepthwiseConv2DArgs> conv2d{"DepthwiseConv2D", DepthwiseConv2D};

}  // namespace

LayerRef DepthwiseConv1D(const DepthwiseConv1DArgs& args, std::source_location created) {
  return make_layer<DepthwiseConvolution<1>>("DepthwiseConv1D", args, created);
}
LayerRef DepthwiseConv2D(const DepthwiseConv2DArgs& args, std::source_location created) {
  return make_layer<DepthwiseConvolution<2>>("DepthwiseConv2D", args, created);
}

}  // namespace stoker::layers
