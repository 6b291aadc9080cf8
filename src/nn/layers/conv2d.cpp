#include "stoker/layers/conv2d.h"

#include "nn/layers/image_layer.h"

namespace stoker::layers {

template <class V>
void visit(Conv2DArgs& a, V& v) {
  v("filters", a.filters, nn::required);
  v("kernel_size", a.kernel_size, nn::required);
  v("strides", a.strides);
  v("padding", a.padding);
  v("data_format", a.data_format);
  v("dilation_rate", a.dilation_rate);
  v("groups", a.groups);
  v("activation", a.activation);
  v("use_bias", a.use_bias);
  v("kernel_initializer", a.kernel_initializer);
  v("bias_initializer", a.bias_initializer);
  v("kernel_regularizer", a.kernel_regularizer);
  v("bias_regularizer", a.bias_regularizer);
  nn::visit_layer(a, v);
}

namespace {

class Conv2DLayer : public nn::ImageLayer<Conv2DArgs> {
 public:
  Conv2DLayer(const Conv2DArgs& args, std::source_location created)
      : ImageLayer("Conv2D", args, created) {
    expect_positive("filters", {args.filters});
    expect_positive("kernel_size", {args.kernel_size[0], args.kernel_size[1]});
    expect_positive("strides", {args.strides[0], args.strides[1]});
    expect_positive("dilation_rate", {args.dilation_rate[0], args.dilation_rate[1]});
    expect_positive("groups", {args.groups});
    pads_same(args.padding);
    if (args.filters % args.groups != 0)
      fail(fmt::format("{} filters cannot be split into {} groups.", args.filters, args.groups));
    if (std::max(args.strides[0], args.strides[1]) > 1 &&
        std::max(args.dilation_rate[0], args.dilation_rate[1]) > 1)
      fail("strides and dilation_rate cannot both be greater than 1.");
  }

  void build(const Shape& input) override {
    expect_images(input);
    channels_ = input.back();
    if (channels_ == unknown)
      fail(fmt::format("needs to know the channels, got input {}.", to_string(input)));
    if (channels_ % args_.groups != 0)
      fail(fmt::format("{} channels of input {} cannot be split into {} groups.", channels_,
                       to_string(input), args_.groups));
    kernel_ = add_weight("kernel", {.shape = {args_.kernel_size[0], args_.kernel_size[1],
                                              channels_ / args_.groups, args_.filters},
                                    .initializer = args_.kernel_initializer,
                                    .regularizer = args_.kernel_regularizer});
    if (args_.use_bias)
      bias_ = add_weight("bias", {.shape = {args_.filters},
                                  .initializer = args_.bias_initializer,
                                  .regularizer = args_.bias_regularizer});
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    expect_images(x.shape());
    if (x.shape().back() != channels_)
      fail(fmt::format("expects {} channels, got input {}.", channels_, to_string(x.shape())));
    const auto& dilation = args_.dilation_rate;
    const auto padding = padding_of(x.shape(), args_.kernel_size, args_.strides, dilation);
    expect_fits(x.shape(),
                {(args_.kernel_size[0] - 1) * dilation[0] + 1,
                 (args_.kernel_size[1] - 1) * dilation[1] + 1},
                padding);
    Tensor y = ops::conv2d(x, kernel_,
                           {.strides = args_.strides,
                            .dilation_rate = dilation,
                            .padding = padding,
                            .groups = args_.groups});
    if (args_.use_bias) y = y + bias_;
    return args_.activation(y);
  }

 private:
  int64_t channels_ = 0;
  Variable kernel_, bias_;
};

const nn::RegisterLayer<Conv2DArgs> registered{"Conv2D", Conv2D};

}  // namespace

LayerRef Conv2D(const Conv2DArgs& args, std::source_location created) {
  return make_layer<Conv2DLayer>(args, created);
}

}  // namespace stoker::layers
