#pragma once
#include <numeric>

#include "nn/layers/args_layer.h"
#include "stoker/ops/conv.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/sizes.h"

namespace stoker::nn {

// A layer on (batch, n spatial axes, channels), or channels_first.
template <class Args, size_t n>
class SpatialLayer : public ArgsLayer<Args> {
 public:
  using Sizes = stoker::Sizes<n>;
  static constexpr int axes = static_cast<int>(n);

  SpatialLayer(const char* class_name, const Args& args, std::source_location created)
      : ArgsLayer<Args>(class_name, args, created) {
    auto& format = this->args_.data_format;
    if (format.empty()) format = "channels_last";  // a null in a config
    if (format != "channels_last" && format != "channels_first")
      this->fail(fmt::format("unknown data_format \"{}\".", format),
                 "use \"channels_last\" or \"channels_first\".");
  }

  void build(const Shape& input) override { expect_input(input); }

  Tensor call(const Tensor& x, const CallArgs&) override {
    expect_input(x.shape());
    return channels_first() ? to_first(compute(to_last(x))) : compute(x);
  }

 protected:
  virtual Tensor compute(const Tensor& x) = 0;  // channels last

  bool channels_first() const { return this->args_.data_format == "channels_first"; }

  void expect_input(const Shape& input) const {
    if (input.rank() == axes + 2) return;
    static constexpr const char *names[] = {"steps", "height, width", "depth, height, width"},
                                *kinds[] = {"sequences", "images", "volumes"};
    const std::string space = names[n - 1];
    this->fail(fmt::format("expects {} (batch, {}), got input {}.", kinds[n - 1],
                           channels_first() ? "channels, " + space : space + ", channels",
                           to_string(input)),
               input.rank() == axes + 1 ? "add a Reshape that gives them a channel." : "");
  }
  int64_t known_channels(const Shape& input) const {
    const int64_t channels = channels_first() ? input[1] : input.back();
    if (channels == unknown)
      this->fail(fmt::format("needs to know the channels, got input {}.", to_string(input)));
    return channels;
  }
  void expect_channels(const Shape& input, int64_t channels) const {
    if ((channels_first() ? input[1] : input.back()) != channels)
      this->fail(fmt::format("expects {} channels, got input {}.", channels, to_string(input)));
  }

  Tensor to_last(const Tensor& x) const {
    std::vector<int64_t> order(n + 2, 0);
    std::iota(order.begin() + 1, order.end() - 1, 2);
    order.back() = 1;
    return ops::transpose(x, order);
  }
  // Without spatial axes both data formats are the same.
  Tensor to_first(const Tensor& y) const {
    if (y.shape().rank() != axes + 2) return y;
    std::vector<int64_t> order(n + 2, 0);
    std::iota(order.begin() + 2, order.end(), 1);
    order[1] = axes + 1;
    return ops::transpose(y, order);
  }

  void expect_all_positive(const char* argument, const Sizes& values) const {
    if (!values.defined()) this->fail(fmt::format("{} is missing.", argument));
    for (int64_t value : values) this->expect_positive(argument, {value});
  }
  bool pads_same(const std::string& padding) const {
    if (padding != "same" && padding != "valid")
      this->fail(fmt::format("unknown padding \"{}\".", padding), "use \"valid\" or \"same\".");
    return padding == "same";
  }

  // {before, after} of each spatial axis, for an input with channels last.
  std::vector<int64_t> padding_of(const Shape& input, const Sizes& window, const Sizes& strides,
                                  const Sizes& dilation = 1) const {
    std::vector<int64_t> padding(2 * n, 0);
    if (!pads_same(this->args_.padding)) return padding;
    for (size_t i = 0; i < n; ++i) {
      const auto pair =
          ops::same_padding(input[static_cast<int>(i) + 1], window[i], strides[i], dilation[i]);
      padding[2 * i] = pair[0];
      padding[2 * i + 1] = pair[1];
    }
    return padding;
  }

  // Checks that a window fits into its input.
  void expect_fits(const Shape& input, const Sizes& window, const Sizes& dilation,
                   const std::vector<int64_t>& padding) const {
    Shape span;
    bool fits = true;
    for (size_t i = n; i-- > 0;) {
      span = span.with_front((window[i] - 1) * dilation[i] + 1);
      fits &= input[static_cast<int>(i) + 1] + padding[2 * i] + padding[2 * i + 1] >= span[0];
    }
    if (fits) return;
    static constexpr const char* kinds[] = {"sequences", "images", "volumes"};
    this->fail(fmt::format("a window of {} does not fit into {} {}.", to_string(span), kinds[n - 1],
                           to_string(input)),
               "use padding \"same\", a smaller window or larger inputs.");
  }
};

template <size_t n>
std::vector<int64_t> list(const Sizes<n>& sizes) {
  return {sizes.begin(), sizes.end()};
}

}  // namespace stoker::nn
