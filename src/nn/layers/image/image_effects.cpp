#include "nn/layers/image/color_space.h"
#include "nn/layers/image/image_sampling.h"
#include "nn/layers/image/random_image_layer.h"
#include "stoker/layers/image.h"
#include "stoker/ops/reduce.h"

namespace stoker::layers {

template <class V>
void visit(RandomGrayscaleArgs& a, V& v) {
  v("factor", a.factor);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}
template <class V>
void visit(SolarizationArgs& a, V& v) {
  v("addition_factor", a.addition_factor);
  v("threshold_factor", a.threshold_factor);
  v("value_range", a.value_range);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}
template <class V>
void visit(AutoContrastArgs& a, V& v) {
  v("value_range", a.value_range);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}
template <class V>
void visit(RandomErasingArgs& a, V& v) {
  v("factor", a.factor);
  v("scale", a.scale);
  v("fill_value", a.fill_value);
  v("value_range", a.value_range);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

Shape one_each(const Tensor& images) { return {images.shape()[0], 1, 1, 1}; }

class RandomGrayscaleLayer : public nn::RandomImageLayer<RandomGrayscaleArgs> {
 public:
  RandomGrayscaleLayer(const RandomGrayscaleArgs& args, std::source_location created)
      : RandomImageLayer("RandomGrayscale", args, created) {
    expect_share("factor", args.factor);
  }

 private:
  Tensor transform(const Tensor& images, nn::Draws& random) override {
    const Tensor chosen = ops::less(random.uniform(one_each(images)), args_.factor);
    return ops::where(chosen, nn::rgb_to_grayscale(images), images);
  }
};

class SolarizationLayer : public nn::RandomImageLayer<SolarizationArgs> {
 public:
  SolarizationLayer(const SolarizationArgs& args, std::source_location created)
      : RandomImageLayer("Solarization", args, created),
        addition_(range_of("addition_factor", args.addition_factor, {0, 1})),
        threshold_(range_of("threshold_factor", args.threshold_factor, {0, 1})),
        values_(range_of("value_range", args.value_range, nn::any_values)) {
    args_.addition_factor = config_of(addition_);
    args_.threshold_factor = config_of(threshold_);
  }

 private:
  // As in Keras, the lower bound is not scaled to 255.
  Tensor transform(const Tensor& images, nn::Draws& random) override {
    const auto draw = [&](nn::Range range) {
      return ops::cast(random.uniform(one_each(images), range.low, range.high * 255),
                       images.dtype());
    };
    const Tensor addition = draw(addition_), threshold = draw(threshold_);
    const double width = values_.high - values_.low;
    const Tensor bytes = (images - values_.low) * (255 / width);
    const Tensor brighter = ops::clip(bytes + addition, 0, 255);
    const Tensor y = ops::where(ops::less(brighter, threshold), brighter, 255.0 - brighter);
    return y * (width / 255) + values_.low;
  }
  nn::Range addition_, threshold_, values_;
};

class AutoContrastLayer : public nn::ArgsLayer<AutoContrastArgs> {
 public:
  AutoContrastLayer(const AutoContrastArgs& args, std::source_location created)
      : ArgsLayer("AutoContrast", args, created), format_(args_.data_format, *this) {
    const auto& range = args.value_range;
    if (!range.is_list() || range.as_list().size() != 2)
      fail(fmt::format("value_range must be two numbers, got {}.", range.to_string()));
    low_ = range.as_list()[0].as_double();
    high_ = range.as_list()[1].as_double();
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    return format_.apply(ops::cast(x, compute_dtype()), *this, [&](const Tensor& images) {
      const nn::Range all{low_, high_};
      const Tensor least = ops::min(images, {.axis = {1, 2}, .keepdims = true});
      const Tensor width = ops::max(images, {.axis = {1, 2}, .keepdims = true}) - least;
      const Tensor flat = ops::equal(width, 0);
      const Tensor divisor = ops::where(flat, width + 1.0, width);
      const Tensor spread = (images - least) / divisor * (all.high - all.low) + all.low;
      return ops::where(flat, images, ops::clip(spread, all.low, all.high));
    });
  }

 private:
  nn::ImageFormat format_;
  double low_ = 0, high_ = 255;
};

class RandomErasingLayer : public nn::RandomImageLayer<RandomErasingArgs> {
 public:
  RandomErasingLayer(const RandomErasingArgs& args, std::source_location created)
      : RandomImageLayer("RandomErasing", args, created),
        share_(range_of("factor", args.factor, {0, 1})),
        scale_(range_of("scale", args.scale, {0, 1})),
        values_(range_of("value_range", args.value_range, nn::any_values)) {
    args_.factor = config_of(share_);
    args_.scale = config_of(scale_);
    if (args.fill_value.is_list() && args.fill_value.as_list().size() != 3)
      fail(fmt::format("fill_value must be a number or three, got {}.",
                       args.fill_value.to_string()));
  }

 private:
  Tensor transform(const Tensor& images, nn::Draws& random) override {
    const auto inside = [&](const Tensor& numbers, int64_t size) {
      const auto length = static_cast<double>(size);
      const Tensor part = ops::sqrt(random.uniform(per_image(images), scale_.low, scale_.high));
      const Tensor start = random.uniform(per_image(images)) * (1.0 - part) * length;
      return ops::logical_and(ops::greater_equal(numbers, start),
                              ops::less(numbers, start + part * length));
    };
    const int64_t height = images.shape()[1], width = images.shape()[2];
    const Tensor box = ops::logical_and(inside(nn::column_numbers(width), width),
                                        inside(nn::row_numbers(height), height));
    const Tensor share = random.uniform(one_each(images), share_.low, share_.high);
    const Tensor chosen = ops::less(random.uniform(one_each(images)), share);
    return ops::where(ops::logical_and(ops::expand_dims(box, -1), chosen), filling(images, random),
                      images);
  }

  Tensor filling(const Tensor& images, nn::Draws& random) const {
    const Config& fill = args_.fill_value;
    Tensor values;
    if (fill.is_null()) {
      values = ops::cast(random.normal(images.shape()) * values_.high, images.dtype());
    } else {
      std::vector<double> numbers;
      if (fill.is_number()) numbers.push_back(fill.as_double());
      if (fill.is_list())
        for (const Config& number : fill.as_list()) numbers.push_back(number.as_double());
      const auto count = static_cast<int64_t>(numbers.size());
      values = Array::from(numbers, {count}).astype(images.dtype());
    }
    return ops::clip(values, values_.low, values_.high);
  }
  nn::Range share_, scale_, values_;
};

const nn::RegisterLayer<RandomGrayscaleArgs> grayscale{"RandomGrayscale", RandomGrayscale};
const nn::RegisterLayer<SolarizationArgs> solarization{"Solarization", Solarization};
const nn::RegisterLayer<AutoContrastArgs> auto_contrast{"AutoContrast", AutoContrast};
const nn::RegisterLayer<RandomErasingArgs> erasing{"RandomErasing", RandomErasing};

}  // namespace

LayerRef RandomGrayscale(const RandomGrayscaleArgs& args, std::source_location created) {
  return make_layer<RandomGrayscaleLayer>(args, created);
}
LayerRef Solarization(const SolarizationArgs& args, std::source_location created) {
  return make_layer<SolarizationLayer>(args, created);
}
LayerRef AutoContrast(const AutoContrastArgs& args, std::source_location created) {
  return make_layer<AutoContrastLayer>(args, created);
}
LayerRef RandomErasing(const RandomErasingArgs& args, std::source_location created) {
  return make_layer<RandomErasingLayer>(args, created);
}

}  // namespace stoker::layers
