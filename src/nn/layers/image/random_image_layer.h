#pragma once
#include <algorithm>
#include <utility>

#include "nn/layers/image/image_format.h"
#include "nn/layers/random_layer.h"

namespace stoker::nn {

struct Range {
  double low, high;
};
inline constexpr Range any_values{-1e30, 1e30};  // no bounds

// A layer that changes images in training and is the identity otherwise.
template <class Args>
class RandomImageLayer : public RandomLayer<Args> {
 public:
  RandomImageLayer(const char* class_name, const Args& args, std::source_location created)
      : RandomLayer<Args>(class_name, args, created), format_(this->args_.data_format, *this) {}

  Tensor call(const Tensor& given, const CallArgs& args) override {
    const Tensor x = ops::cast(given, this->compute_dtype());
    if (!args.training) return x;
    return format_.apply(x, *this, [&](const Tensor& images) {
      Draws random = this->draws();
      return ops::cast(transform(images, random), this->compute_dtype());
    });
  }

 protected:
  virtual Tensor transform(const Tensor& images, Draws& random) = 0;

  // Keras's factor: a number f means [-f, f] clipped to the bounds; a list of two is the range.
  Range range_of(const char* argument, const Config& factor, Range bounds) const {
    Range range{0, 0};
    if (factor.is_number()) {
      const double size = std::abs(factor.as_double());
      range = {std::max(-size, bounds.low), size};
    } else if (factor.is_list() && factor.as_list().size() == 2) {
      const double a = factor.as_list()[0].as_double(), b = factor.as_list()[1].as_double();
      range = {std::min(a, b), std::max(a, b)};
    } else {
      refuse(argument, factor, bounds);
    }
    if (!(range.low >= bounds.low && range.high <= bounds.high)) refuse(argument, factor, bounds);
    return range;
  }
  static Config config_of(Range range) { return Config::List{range.low, range.high}; }

  // One number per image.
  static Shape per_image(const Tensor& images) { return {images.shape()[0], 1, 1}; }

 private:
  [[noreturn]] void refuse(const char* argument, const Config& factor, Range bounds) const {
    this->fail(fmt::format("{} must be a number or two of them in [{}, {}], got {}.", argument,
                           bounds.low, bounds.high, factor.to_string()));
  }
  ImageFormat format_;
};

}  // namespace stoker::nn
