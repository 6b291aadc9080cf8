#include "nn/layers/image/color_space.h"
#include "nn/layers/image/image_blur.h"
#include "nn/layers/image/random_image_layer.h"
#include "stoker/layers/image.h"
#include "stoker/ops/reduce.h"

namespace stoker::layers {

template <class V>
void visit(RandomColorArgs& a, V& v) {
  v("factor", a.factor);
  v("value_range", a.value_range);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

struct Change {
  const Tensor& images;
  nn::Draws& random;
  nn::Range factor, values;

  Shape per_image() const { return {images.shape()[0], 1, 1, 1}; }
  Tensor draw(nn::Range range) const {
    return ops::cast(random.uniform(per_image(), range.low, range.high), images.dtype());
  }
  Tensor draw() const { return draw(factor); }
  Tensor kept_inside(const Tensor& y) const { return ops::clip(y, values.low, values.high); }
  // Between the value range and [low, high].
  Tensor scaled_to(const Tensor& x, nn::Range to) const {
    return (x - values.low) * ((to.high - to.low) / (values.high - values.low)) + to.low;
  }
  Tensor scaled_from(const Tensor& x, nn::Range from) const {
    return (x - from.low) * ((values.high - values.low) / (from.high - from.low)) + values.low;
  }
};

Tensor contrast(const Change& c) {
  const Tensor factor = c.draw({1 - c.factor.low, 1 + c.factor.high});
  const Tensor mean = ops::mean(c.images, {.axis = {1, 2}, .keepdims = true});
  return c.kept_inside((c.images - mean) * factor + mean);
}

Tensor brightness(const Change& c) {
  return c.kept_inside(c.images + c.draw() * (c.values.high - c.values.low));
}

Tensor saturation(const Change& c) {
  const Tensor drawn = c.draw(), factor = drawn / (1.0 - drawn + 1e-7);
  auto hsv = nn::rgb_to_hsv(nn::channels_of(c.images));
  hsv[1] = c.kept_inside(hsv[1] * factor);
  return nn::joined(nn::hsv_to_rgb(hsv));
}

Tensor hue(const Change& c) {
  const Tensor sign = ops::where(ops::greater(c.draw({0, 1}), 0.5), Tensor(Array::scalar(-1.0F)),
                                 Tensor(Array::scalar(1.0F)));
  const Tensor turn = c.draw() * ops::cast(sign, c.images.dtype()) * 0.5;
  auto hsv = nn::rgb_to_hsv(nn::channels_of(c.scaled_to(c.images, {0, 1})));
  const Tensor shifted = hsv[0] + turn,
               below = ops::where(ops::greater(shifted, 1), shifted - 1.0, shifted);
  hsv[0] = ops::where(ops::less(below, 0), below + 1.0, below);
  return c.scaled_from(ops::clip(nn::joined(nn::hsv_to_rgb(hsv)), 0, 1), {0, 1});
}

// Keeps the highest bits of eight.
Tensor posterization(const Change& c) {
  const Tensor bits = c.factor.low == c.factor.high ? c.draw() : ops::floor(c.draw());
  const Tensor two = ops::cast(Array::scalar(2.0F), c.images.dtype());
  const Tensor step = ops::floor(ops::power(two, 8.0 - bits) + 0.5);
  const Tensor whole = ops::floor(c.scaled_to(c.images, {0, 255}));
  return c.scaled_from(ops::floor(whole / step) * step, {0, 255});
}

Tensor inversion(const Change& c) {
  const Tensor share = c.draw(), chosen = ops::less(c.draw({0, 1}), share);
  return ops::where(chosen, c.values.high - c.images, c.images);
}

Tensor degeneration(const Change& c) {
  const Tensor gray = nn::rgb_to_grayscale(c.images);
  return c.kept_inside(c.images + c.draw() * (gray - c.images));
}

// Interpolates between a blurred image and the image, and extrapolates beyond it.
Tensor sharpness(const Change& c) {
  const auto same = [&](double weight) {
    return std::vector<Tensor>(
        3, ops::cast(Array::scalar(static_cast<float>(weight)), c.images.dtype()));
  };
  const Tensor around =
      nn::weigh_neighbours(nn::weigh_neighbours(c.images, 1, same(1)), 2, same(1.0 / 13));
  const Tensor smooth = around + c.images * (4.0 / 13);
  return c.kept_inside(c.images + (1.0 - c.draw() * 2.0) * (smooth - c.images));
}

struct Kind {
  const char* class_name;
  nn::Range bounds;
  double factor;  // the default, if there is one
  Tensor (*change)(const Change&);
};
constexpr Kind kinds[] = {
    {"RandomContrast", {0, 1}, 0, contrast},
    {"RandomBrightness", {-1, 1}, 0, brightness},
    {"RandomSaturation", {-1, 1}, 0, saturation},
    {"RandomHue", {0, 1}, 0, hue},
    {"RandomPosterization", {1, 8}, 8, posterization},
    {"RandomInvert", {0, 1}, 1, inversion},
    {"RandomColorDegeneration", {-1, 1}, 0, degeneration},
    {"RandomSharpness", {0, 1}, 0, sharpness},
};

// Keras on TensorFlow does not accept 4.0 for 4 bits.
Config bits_of(nn::Range bits) {
  return Config::List{static_cast<int64_t>(bits.low), static_cast<int64_t>(bits.high)};
}

// A colour change with random parameters for each image.
class RandomColorLayer : public nn::RandomImageLayer<RandomColorArgs> {
 public:
  RandomColorLayer(const Kind& kind, const RandomColorArgs& args, std::source_location created)
      : RandomImageLayer(kind.class_name, args, created), kind_(kind) {
    if (args_.factor.is_null()) args_.factor = kind.factor;
    factor_ = range_of("factor", args_.factor, kind.bounds);
    args_.factor = kind.change == posterization ? bits_of(factor_) : config_of(factor_);
    if (!args.value_range.is_list() || args.value_range.as_list().size() != 2)
      fail(fmt::format("value_range must be two numbers, got {}.", args.value_range.to_string()));
    const double a = args.value_range.as_list()[0].as_double(),
                 b = args.value_range.as_list()[1].as_double();
    values_ = {std::min(a, b), std::max(a, b)};
  }

 private:
  Tensor transform(const Tensor& images, nn::Draws& random) override {
    return kind_.change({images, random, factor_, values_});
  }
  const Kind& kind_;
  nn::Range factor_{0, 0}, values_{0, 255};
};

template <size_t i>
LayerRef make(const RandomColorArgs& args, std::source_location created) {
  return make_layer<RandomColorLayer>(kinds[i], args, created);
}

template <size_t... i>
bool register_all(std::index_sequence<i...>) {
  (nn::RegisterLayer<RandomColorArgs>(kinds[i].class_name, make<i>), ...);
  return true;
}
const bool registered = register_all(std::make_index_sequence<std::size(kinds)>());

}  // namespace

LayerRef RandomContrast(const RandomColorArgs& a, std::source_location at) {
  return make<0>(a, at);
}
LayerRef RandomBrightness(const RandomColorArgs& a, std::source_location at) {
  return make<1>(a, at);
}
LayerRef RandomSaturation(const RandomColorArgs& a, std::source_location at) {
  return make<2>(a, at);
}
LayerRef RandomHue(const RandomColorArgs& a, std::source_location at) { return make<3>(a, at); }
LayerRef RandomPosterization(const RandomColorArgs& a, std::source_location at) {
  return make<4>(a, at);
}
LayerRef RandomInvert(const RandomColorArgs& a, std::source_location at) { return make<5>(a, at); }
LayerRef RandomColorDegeneration(const RandomColorArgs& a, std::source_location at) {
  return make<6>(a, at);
}

LayerRef RandomSharpness(const RandomColorArgs& a, std::source_location at) {
  return make<7>(a, at);
}

}  // namespace stoker::layers
