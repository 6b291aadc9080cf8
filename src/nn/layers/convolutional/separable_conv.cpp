#include "nn/layers/convolutional/conv_layer.h"
#include "stoker/layers/depthwise_conv.h"

namespace stoker::layers {

template <size_t n, class V>
void visit(SeparableConvArgs<n>& a, V& v) {
  v("filters", a.filters, nn::required);
  v("pointwise_initializer", a.pointwise_initializer);
  v("pointwise_regularizer", a.pointwise_regularizer);
  v("pointwise_constraint", a.pointwise_constraint);
  nn::visit_depthwise_kernel(a, v);
  nn::visit_window(a, v);
}

namespace {

template <size_t n>
class SeparableConvolution : public nn::ConvLayer<SeparableConvArgs<n>, n> {
 public:
  SeparableConvolution(const char* class_name, const SeparableConvArgs<n>& args,
                       std::source_location created)
      : nn::ConvLayer<SeparableConvArgs<n>, n>(class_name, args, created) {
    this->pads_same(args.padding);
  }

  void build(const Shape& input) override {
    const auto& a = this->args_;
    this->expect_channels_known(input);
    this->kernel_ = this->add_weight(
        "depthwise_kernel", {.shape = this->kernel_shape(this->channels_, a.depth_multiplier),
                             .initializer = a.depthwise_initializer,
                             .regularizer = a.depthwise_regularizer,
                             .constraint = a.depthwise_constraint});
    std::vector<int64_t> mix(n, 1);
    mix.insert(mix.end(), {this->channels_ * a.depth_multiplier, a.filters});
    pointwise_ = this->add_weight("pointwise_kernel", {.shape = Shape(std::move(mix)),
                                                       .initializer = a.pointwise_initializer,
                                                       .regularizer = a.pointwise_regularizer,
                                                       .constraint = a.pointwise_constraint});
    this->add_bias_weight(a.filters);
  }

 protected:
  Tensor compute(const Tensor& x) override {
    const Tensor depthwise = ops::depthwise_conv(x, this->kernel_, this->sliding_args(x));
    return this->with_bias(ops::conv(depthwise, pointwise_));
  }

 private:
  Variable pointwise_;
};

const nn::RegisterLayer<SeparableConv1DArgs> conv1d{"SeparableConv1D", SeparableConv1D};
const nn::RegisterLayer<SeparableConv2DArgs> conv2d{"SeparableConv2D", SeparableConv2D};

}  // namespace

LayerRef SeparableConv1D(const SeparableConv1DArgs& args, std::source_location created) {
  return make_layer<SeparableConvolution<1>>("SeparableConv1D", args, created);
}
LayerRef SeparableConv2D(const SeparableConv2DArgs& args, std::source_location created) {
  return make_layer<SeparableConvolution<2>>("SeparableConv2D", args, created);
}

}  // namespace stoker::layers
