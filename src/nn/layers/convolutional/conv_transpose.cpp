#include "stoker/layers/conv_transpose.h"

#include "nn/layers/convolutional/conv_layer.h"

namespace stoker::layers {

template <size_t n, class V>
void visit(ConvTransposeArgs<n>& a, V& v) {
  v("filters", a.filters, nn::required);
  v("output_padding", a.output_padding);
  nn::visit_kernel(a, v);
  nn::visit_window(a, v);
}

namespace {

// Along one axis: the output's length, and how much of the full result is cropped at both ends.
struct Extent {
  int64_t size, before, after;
};

Extent extent_of(int64_t input, int64_t window, int64_t stride, bool same,
                 const std::optional<int64_t>& output_padding) {
  const int64_t full = (input - 1) * stride + window;
  if (!same) return {full + output_padding.value_or(std::max<int64_t>(stride - window, 0)), 0, 0};
  const int64_t size =
      output_padding ? (input - 1) * stride + window % 2 + *output_padding : input * stride;
  const int64_t added =
      output_padding ? window + window % 2 - 2 + *output_padding : stride + window - 2;
  const int64_t before = std::max<int64_t>(window - 1 - (added + 1) / 2, 0);
  return {size, before, std::max<int64_t>(full - before - size, 0)};
}

template <size_t n>
class TransposedConvolution : public nn::ConvLayer<ConvTransposeArgs<n>, n> {
 public:
  TransposedConvolution(const char* class_name, const ConvTransposeArgs<n>& args,
                        std::source_location created)
      : nn::ConvLayer<ConvTransposeArgs<n>, n>(class_name, args, created) {
    this->pads_same(args.padding);
    this->expect_one_of_strides_and_dilation();
    for (size_t i = 0; args.output_padding.defined() && i < n; ++i)
      if (args.output_padding[i] < 0 || args.output_padding[i] >= args.strides[i])
        this->fail(fmt::format("output_padding must be below the stride of {}, got {}.",
                               args.strides[i], args.output_padding[i]));
  }

  void build(const Shape& input) override {
    const auto& a = this->args_;
    this->expect_channels_known(input);
    this->kernel_ =
        this->add_weight("kernel", {.shape = this->kernel_shape(a.filters, this->channels_),
                                    .initializer = a.kernel_initializer,
                                    .regularizer = a.kernel_regularizer,
                                    .constraint = a.kernel_constraint});
    this->add_bias_weight(a.filters);
  }

 protected:
  Tensor compute(const Tensor& x) override {
    const auto& a = this->args_;
    std::vector<int64_t> sizes, padding;
    for (size_t i = 0; i < n; ++i) {
      const auto extra =
          a.output_padding.defined() ? std::optional(a.output_padding[i]) : std::nullopt;
      const Extent extent = extent_of(x.shape()[static_cast<int>(i) + 1],
                                      (a.kernel_size[i] - 1) * a.dilation_rate[i] + 1, a.strides[i],
                                      this->pads_same(a.padding), extra);
      sizes.push_back(extent.size);
      padding.insert(padding.end(), {extent.before, extent.after});
    }
    return this->with_bias(
        ops::conv_transpose(x, this->kernel_, sizes, this->window_args(std::move(padding))));
  }
};

const nn::RegisterLayer<Conv1DTransposeArgs> conv1d_transpose{"Conv1DTranspose", Conv1DTranspose};
const nn::RegisterLayer<Conv2DTransposeArgs> conv2d_transpose{"Conv2DTranspose", Conv2DTranspose};
const nn::RegisterLayer<Conv3DTransposeArgs> conv3d_transpose{"Conv3DTranspose", Conv3DTranspose};

}  // namespace

LayerRef Conv1DTranspose(const Conv1DTransposeArgs& args, std::source_location created) {
  return make_layer<TransposedConvolution<1>>("Conv1DTranspose", args, created);
}
LayerRef Conv2DTranspose(const Conv2DTransposeArgs& args, std::source_location created) {
  return make_layer<TransposedConvolution<2>>("Conv2DTranspose", args, created);
}
LayerRef Conv3DTranspose(const Conv3DTransposeArgs& args, std::source_location created) {
  return make_layer<TransposedConvolution<3>>("Conv3DTranspose", args, created);
}

}  // namespace stoker::layers
