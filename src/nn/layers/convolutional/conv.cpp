#include "stoker/layers/conv.h"

#include "nn/layers/convolutional/conv_layer.h"

namespace stoker::layers {

template <size_t n, class V>
void visit(ConvArgs<n>& a, V& v) {
  v("filters", a.filters, nn::required);
  v("groups", a.groups);
  nn::visit_kernel(a, v);
  nn::visit_window(a, v);
}

namespace {

template <size_t n>
class Convolution : public nn::ConvLayer<ConvArgs<n>, n> {
 public:
  Convolution(const char* class_name, const ConvArgs<n>& args, std::source_location created)
      : nn::ConvLayer<ConvArgs<n>, n>(class_name, args, created) {
    this->expect_positive("groups", {args.groups});
    if (!causal()) this->pads_same(args.padding);
    if (args.filters % args.groups != 0)
      this->fail(
          fmt::format("{} filters cannot be split into {} groups.", args.filters, args.groups));
    this->expect_one_of_strides_and_dilation();
  }

  void build(const Shape& input) override {
    const auto& a = this->args_;
    this->expect_channels_known(input);
    if (this->channels_ % a.groups != 0)
      this->fail(fmt::format("{} channels of input {} cannot be split into {} groups.",
                             this->channels_, to_string(input), a.groups));
    this->kernel_ = this->add_weight(
        "kernel", {.shape = this->kernel_shape(this->channels_ / a.groups, a.filters),
                   .initializer = a.kernel_initializer,
                   .regularizer = a.kernel_regularizer,
                   .constraint = a.kernel_constraint});
    this->add_bias_weight(a.filters);
  }

 protected:
  Tensor compute(const Tensor& x) override {
    ops::ConvArgs args = causal() ? this->window_args(causal_padding()) : this->sliding_args(x);
    args.groups = this->args_.groups;
    return this->with_bias(ops::conv(x, this->kernel_, args));
  }

 private:
  bool causal() const { return n == 1 && this->args_.padding == "causal"; }
  // An output depends on inputs up to its own time step.
  std::vector<int64_t> causal_padding() const {
    return {(this->args_.kernel_size[0] - 1) * this->args_.dilation_rate[0], 0};
  }
};

const nn::RegisterLayer<Conv1DArgs> conv1d{"Conv1D", Conv1D};
const nn::RegisterLayer<Conv2DArgs> conv2d{"Conv2D", Conv2D};
const nn::RegisterLayer<Conv3DArgs> conv3d{"Conv3D", Conv3D};

}  // namespace

LayerRef Conv1D(const Conv1DArgs& args, std::source_location created) {
  return make_layer<Convolution<1>>("Conv1D", args, created);
}
LayerRef Conv2D(const Conv2DArgs& args, std::source_location created) {
  return make_layer<Convolution<2>>("Conv2D", args, created);
}
LayerRef Conv3D(const Conv3DArgs& args, std::source_location created) {
  return make_layer<Convolution<3>>("Conv3D", args, created);
}

}  // namespace stoker::layers
