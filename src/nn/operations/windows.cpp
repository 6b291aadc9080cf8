#include <numeric>

#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "stoker/ops/conv.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/spatial.h"

// Convolutions and pooling over (batch, sizes …, channels), or channels_first.
namespace stoker::nn {

struct PoolingArgs {
  Config pool_size = {}, strides = {};
  std::string padding = "valid", data_format = "channels_last";
};
template <class V>
void visit(PoolingArgs& a, V& v) {
  v("pool_size", a.pool_size, required);
  v("strides", a.strides);
  v("padding", a.padding);
  v("data_format", a.data_format);
}

struct AdaptiveArgs {
  Config output_size = {};
  std::string data_format = "channels_last";
};
template <class V>
void visit(AdaptiveArgs& a, V& v) {
  v("output_size", a.output_size, required);
  v("data_format", a.data_format);
}

struct ConvolutionArgs {
  Config strides = 1;
  std::string padding = "valid", data_format = "channels_last";
  Config dilation_rate = 1;
};
template <class V>
void visit(ConvolutionArgs& a, V& v) {
  v("strides", a.strides);
  v("padding", a.padding);
  v("data_format", a.data_format);
  v("dilation_rate", a.dilation_rate);
}

namespace {

using Results = std::vector<Tensor>;

// Transposes to channels_last and back.
template <class Slide>
Results channels_last(const Tensor& x, const std::string& format, const Slide& slide) {
  if (format != "channels_first") return {slide(x)};
  return {moved(slide(moved(x, 1, -1)), -1, 1)};
}

std::vector<int64_t> per_axis(const Config& given, const Tensor& x) {
  auto sizes = integers(given);
  if (sizes.size() == 1) sizes.resize(static_cast<size_t>(x.shape().rank() - 2), sizes[0]);
  return sizes;
}

std::vector<int64_t> padding_for(const Tensor& x, const std::string& padding,
                                 const std::vector<int64_t>& window,
                                 const std::vector<int64_t>& strides,
                                 const std::vector<int64_t>& dilation) {
  std::vector<int64_t> pairs(2 * window.size(), 0);
  if (padding == "valid") return pairs;
  if (padding != "same")
    throw Unsupported(fmt::format("padding \"{}\" is not supported.", padding),
                      "\"valid\" and \"same\" are.");
  for (size_t i = 0; i < window.size(); ++i) {
    const auto pair =
        ops::same_padding(x.shape()[static_cast<int>(i) + 1], window[i], strides[i], dilation[i]);
    pairs[2 * i] = pair[0], pairs[2 * i + 1] = pair[1];
  }
  return pairs;
}

template <auto pool>
Results pooled(const PoolingArgs& a, const OperationCall& call) {
  return channels_last(call.tensor(0), a.data_format, [&](const Tensor& x) {
    const auto window = per_axis(a.pool_size, x);
    const auto strides = a.strides.is_null() ? window : per_axis(a.strides, x);
    const std::vector<int64_t> near(window.size(), 1);
    return pool(x, ops::PoolArgs{.pool_size = window,
                                 .strides = strides,
                                 .padding = padding_for(x, a.padding, window, strides, near)});
  });
}

template <auto pool>
Results adaptively_pooled(const AdaptiveArgs& a, const OperationCall& call) {
  return channels_last(call.tensor(0), a.data_format,
                       [&](const Tensor& x) { return pool(x, per_axis(a.output_size, x)); });
}

ops::ConvArgs window_of(const ConvolutionArgs& a, const Tensor& x, const Tensor& kernel) {
  const auto& dims = kernel.shape().dims();
  const std::vector<int64_t> window(dims.begin(), dims.end() - 2);
  const auto strides = per_axis(a.strides, x), dilation = per_axis(a.dilation_rate, x);
  return {.strides = strides,
          .dilation_rate = dilation,
          .padding = padding_for(x, a.padding, window, strides, dilation)};
}

Results conv(const ConvolutionArgs& a, const OperationCall& call) {
  const Tensor kernel = call.tensor(1);
  return channels_last(call.tensor(0), a.data_format, [&](const Tensor& x) {
    ops::ConvArgs args = window_of(a, x, kernel);
    args.groups = x.shape().back() / kernel.shape()[-2];
    return ops::conv(x, kernel, args);
  });
}

Results depthwise_conv(const ConvolutionArgs& a, const OperationCall& call) {
  const Tensor kernel = call.tensor(1);
  return channels_last(call.tensor(0), a.data_format, [&](const Tensor& x) {
    return ops::depthwise_conv(x, kernel, window_of(a, x, kernel));
  });
}

Results separable_conv(const ConvolutionArgs& a, const OperationCall& call) {
  const Tensor depthwise = call.tensor(1), pointwise = call.tensor(2);
  return channels_last(call.tensor(0), a.data_format, [&](const Tensor& x) {
    return ops::conv(ops::depthwise_conv(x, depthwise, window_of(a, x, depthwise)), pointwise);
  });
}

const RegisterOperation<PoolingArgs> max_pool{"nn", "MaxPool", pooled<ops::max_pool>};
const RegisterOperation<PoolingArgs> average_pool{"nn", "AveragePool", pooled<ops::average_pool>};
const RegisterOperation<AdaptiveArgs> adaptive_max{"nn", "AdaptiveMaxPool",
                                                   adaptively_pooled<ops::adaptive_max_pool>};
const RegisterOperation<AdaptiveArgs> adaptive_average{
    "nn", "AdaptiveAveragePool", adaptively_pooled<ops::adaptive_average_pool>};
const RegisterOperation<ConvolutionArgs> convs{"nn", "Conv", conv};
const RegisterOperation<ConvolutionArgs> depthwise_convs{"nn", "DepthwiseConv", depthwise_conv};
const RegisterOperation<ConvolutionArgs> separable_convs{"nn", "SeparableConv", separable_conv};

}  // namespace
}  // namespace stoker::nn
