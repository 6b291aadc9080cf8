#include <numbers>

#include "nn/layers/image/image_sampling.h"
#include "nn/layers/image/random_image_layer.h"
#include "stoker/layers/image.h"

namespace stoker::layers {
namespace {

template <class Args, class V>
void visit_sampling(Args& a, V& v) {
  v("fill_mode", a.fill_mode);
  v("interpolation", a.interpolation);
  v("seed", a.seed);
  v("fill_value", a.fill_value);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

}  // namespace

template <class V>
void visit(RandomRotationArgs& a, V& v) {
  v("factor", a.factor, nn::required);
  visit_sampling(a, v);
}
template <class V>
void visit(RandomTranslationArgs& a, V& v) {
  v("height_factor", a.height_factor, nn::required);
  v("width_factor", a.width_factor, nn::required);
  visit_sampling(a, v);
}
template <class V>
void visit(RandomZoomArgs& a, V& v) {
  v("height_factor", a.height_factor, nn::required);
  v("width_factor", a.width_factor);
  visit_sampling(a, v);
}
template <class V>
void visit(RandomShearArgs& a, V& v) {
  v("x_factor", a.x_factor);
  v("y_factor", a.y_factor);
  visit_sampling(a, v);
}

namespace {

// Applies an affine transformation to each image.
template <class Args>
class RandomAffineLayer : public nn::RandomImageLayer<Args> {
 public:
  RandomAffineLayer(const char* class_name, const Args& args, std::source_location created)
      : nn::RandomImageLayer<Args>(class_name, args, created) {
    expect_one_of("fill_mode", args.fill_mode, {"reflect", "wrap", "constant", "nearest"});
    expect_one_of("interpolation", args.interpolation, {"nearest", "bilinear"});
  }

 protected:
  virtual nn::Affine draw(const Tensor& images, nn::Draws& random) = 0;
  static double height(const Tensor& images) { return static_cast<double>(images.shape()[1]); }
  static double width(const Tensor& images) { return static_cast<double>(images.shape()[2]); }
  Tensor number(double value) const { return Array::scalar(static_cast<float>(value)); }
  Tensor draw_in(const Tensor& images, nn::Draws& random, nn::Range range) const {
    return random.uniform(this->per_image(images), range.low, range.high);
  }

 private:
  Tensor transform(const Tensor& images, nn::Draws& random) override {
    return nn::affine_transform(
        images, draw(images, random),
        {this->args_.interpolation, this->args_.fill_mode, this->args_.fill_value});
  }
  void expect_one_of(const char* argument, const std::string& value,
                     const std::vector<std::string>& known) const {
    if (std::ranges::find(known, value) == known.end())
      this->fail(fmt::format("unknown {} \"{}\".", argument, value), did_you_mean(value, known));
  }
};

class RandomRotationLayer : public RandomAffineLayer<RandomRotationArgs> {
 public:
  RandomRotationLayer(const RandomRotationArgs& args, std::source_location created)
      : RandomAffineLayer("RandomRotation", args, created),
        turns_(range_of("factor", args.factor, {-1, 1})) {
    args_.factor = config_of(turns_);
  }

 private:
  nn::Affine draw(const Tensor& images, nn::Draws& random) override {
    const Tensor angle = draw_in(images, random, turns_) * (2 * std::numbers::pi);
    const Tensor cosine = ops::cos(angle), sine = ops::sin(angle);
    const double x = (width(images) - 1) / 2, y = (height(images) - 1) / 2;
    return {cosine, -sine, x - x * cosine + y * sine, sine, cosine, y - x * sine - y * cosine};
  }
  nn::Range turns_;
};

class RandomTranslationLayer : public RandomAffineLayer<RandomTranslationArgs> {
 public:
  RandomTranslationLayer(const RandomTranslationArgs& args, std::source_location created)
      : RandomAffineLayer("RandomTranslation", args, created),
        down_(range_of("height_factor", args.height_factor, {-1, 1})),
        across_(range_of("width_factor", args.width_factor, {-1, 1})) {}

 private:
  nn::Affine draw(const Tensor& images, nn::Draws& random) override {
    const Tensor down = draw_in(images, random, down_) * height(images);
    const Tensor across = draw_in(images, random, across_) * width(images);
    return {number(1), number(0), -across, number(0), number(1), -down};
  }
  nn::Range down_, across_;
};

class RandomZoomLayer : public RandomAffineLayer<RandomZoomArgs> {
 public:
  RandomZoomLayer(const RandomZoomArgs& args, std::source_location created)
      : RandomAffineLayer("RandomZoom", args, created),
        down_(range_of("height_factor", args.height_factor, {-1, 1})),
        across_(args.width_factor.is_null()
                    ? down_
                    : range_of("width_factor", args.width_factor, {-1, 1})) {}

 private:
  nn::Affine draw(const Tensor& images, nn::Draws& random) override {
    const Tensor down = draw_in(images, random, down_) + 1.0;
    const Tensor across =
        args_.width_factor.is_null() ? down : draw_in(images, random, across_) + 1.0;
    const double x = (width(images) - 1) / 2, y = (height(images) - 1) / 2;
    return {across, number(0), (1.0 - across) * x, number(0), down, (1.0 - down) * y};
  }
  nn::Range down_, across_;
};

class RandomShearLayer : public RandomAffineLayer<RandomShearArgs> {
 public:
  RandomShearLayer(const RandomShearArgs& args, std::source_location created)
      : RandomAffineLayer("RandomShear", args, created),
        x_(symmetric("x_factor", args_.x_factor)),
        y_(symmetric("y_factor", args_.y_factor)) {}

 private:
  // Keras's config contains the range that a number stands for.
  nn::Range symmetric(const char* argument, Config& factor) const {
    const nn::Range given = range_of(argument, factor, {-1, 1});
    factor = config_of(given);
    return given;
  }
  nn::Affine draw(const Tensor& images, nn::Draws& random) override {
    const Tensor sign =
        ops::where(ops::greater(random.uniform(per_image(images)), 0.5), number(-1), number(1));
    const Tensor down = draw_in(images, random, y_) * sign;
    const Tensor across = draw_in(images, random, x_) * sign;
    return {number(1), across, number(0), down, number(1), number(0)};
  }
  nn::Range x_, y_;
};

const nn::RegisterLayer<RandomRotationArgs> rotation{"RandomRotation", RandomRotation};
const nn::RegisterLayer<RandomTranslationArgs> translation{"RandomTranslation", RandomTranslation};
const nn::RegisterLayer<RandomZoomArgs> zoom{"RandomZoom", RandomZoom};
const nn::RegisterLayer<RandomShearArgs> shear{"RandomShear", RandomShear};

}  // namespace

LayerRef RandomRotation(const RandomRotationArgs& args, std::source_location created) {
  return make_layer<RandomRotationLayer>(args, created);
}
LayerRef RandomTranslation(const RandomTranslationArgs& args, std::source_location created) {
  return make_layer<RandomTranslationLayer>(args, created);
}
LayerRef RandomZoom(const RandomZoomArgs& args, std::source_location created) {
  return make_layer<RandomZoomLayer>(args, created);
}
LayerRef RandomShear(const RandomShearArgs& args, std::source_location created) {
  return make_layer<RandomShearLayer>(args, created);
}

}  // namespace stoker::layers
