#include "stoker/layers/equalization.h"

#include "graph/emit.h"
#include "nn/layers/args_layer.h"
#include "nn/layers/image/image_format.h"
#include "nn/operations/axis_helpers.h"
#include "nn/operations/cumulative.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"

namespace stoker::layers {

template <class V>
void visit(EqualizationArgs& a, V& v) {
  v("value_range", a.value_range);
  v("bins", a.bins);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

constexpr double top = 255;

class EqualizationLayer : public nn::ArgsLayer<EqualizationArgs> {
 public:
  EqualizationLayer(const EqualizationArgs& args, std::source_location created)
      : ArgsLayer("Equalization", args, created), format_(args_.data_format, *this) {
    expect_positive("bins", {args.bins});
    const bool pair = args.value_range.is_list() && args.value_range.as_list().size() == 2;
    if (!pair)
      fail(fmt::format("value_range must be two numbers, got {}.", args.value_range.to_string()));
    low_ = args.value_range.as_list()[0].as_double();
    high_ = args.value_range.as_list()[1].as_double();
    if (!(low_ < high_)) fail(fmt::format("value_range is empty: [{}, {}].", low_, high_));
  }

  Tensor call(const Tensor& x, const CallArgs& args) override {
    if (!args.training) return x;
    return format_.apply(x, *this, [&](const Tensor& images) {
      const double scale = top / (high_ - low_);
      const Tensor values = ops::cast(images, DType::float32) * scale - low_ * scale;
      const Tensor spread = equalized(values) * (1 / scale) + low_;
      return ops::cast(spread, compute_dtype());
    });
  }

 private:
  // For values from 0 to 255; a channel with a single value is unchanged.
  Tensor equalized(const Tensor& values) const {
    const int64_t channels = values.shape().back();
    const Tensor counts = histogram(values, channels);
    const Tensor table = table_from(nn::running_sum(counts, 1));
    const auto last = static_cast<double>(args_.bins - 1);
    const Tensor bins = ops::cast(ops::clip(values / top * last, 0, last), DType::int64);
    const Tensor found = ops::gather(ops::reshape(table, {-1}), in_channels(bins, channels));
    const Tensor used = ops::sum(ops::cast(ops::greater(counts, 0.0), DType::float32),
                                 {.axis = {-1}});  // bins of each channel
    return ops::where(ops::less(used, 1.5), values, found);
  }

  // (channels, bins)
  Tensor histogram(const Tensor& values, int64_t channels) const {
    const auto last = static_cast<double>(args_.bins - 1);
    const Tensor bins = ops::cast(ops::clip(values * last / top, 0, last), DType::int64);
    const Tensor places = ops::reshape(in_channels(bins, channels), {-1});
    const Tensor ones = ops::fill(places.shape(), 1);
    return ops::reshape(
        graph::emit1("scatter_add", {ones, places}, {{"rows", channels * args_.bins}}),
        {channels, args_.bins});
  }
  Tensor in_channels(const Tensor& bins, int64_t channels) const {
    return bins + nn::count_up(channels, DType::int64) * Tensor(Array::scalar(args_.bins));
  }
  // The lookup table of the bins, from the cumulative histogram.
  Tensor table_from(const Tensor& sums) const {
    const Tensor all = ops::max(sums, {.axis = {-1}, .keepdims = true});
    const Tensor first =
        ops::min(ops::where(ops::greater(sums, 0.0), sums, all), {.axis = {-1}, .keepdims = true});
    const Tensor rest = ops::maximum(all - first, 1.0);
    return ops::clip(nn::rounded_half_even((sums - first) * top / rest), 0, top);
  }

  nn::ImageFormat format_;
  double low_ = 0, high_ = top;
};

const nn::RegisterLayer<EqualizationArgs> registered{"Equalization", Equalization};

}  // namespace

LayerRef Equalization(const EqualizationArgs& args, std::source_location created) {
  return make_layer<EqualizationLayer>(args, created);
}

}  // namespace stoker::layers
