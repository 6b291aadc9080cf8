#include "io/images/affine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stoker::images {
namespace {

float reflected(float at, float size) {
  const float mirrored = at < 0 ? -at - 1 : at;
  const float in_period = mirrored - std::floor(mirrored / (2 * size)) * (2 * size);
  return in_period >= size ? 2 * size - 1 - in_period : in_period;
}

// The period is size - 1, as in TensorFlow.
float wrapped(float at, float size) {
  if (at < 0) return at + (std::floor(-at / (size - 1)) + 1) * size;
  if (at > size - 1) return at - std::floor(at / (size - 1)) * size;
  return at;
}

float inside(float at, int64_t length, FillMode mode) {
  const auto size = static_cast<float>(length);
  if (mode == FillMode::constant) return at;
  if (mode == FillMode::reflect && length > 1) at = reflected(at, size);
  if (mode == FillMode::wrap && length > 1) at = wrapped(at, size);
  return std::clamp(at, 0.0f, size - 1);
}

template <class T>
T value_of(float value) {
  if constexpr (std::is_same_v<T, uint8_t>)
    return static_cast<uint8_t>(std::clamp(value + 0.5f, 0.0f, 255.0f));
  else
    return value;
}

template <class T>
class Sampler {
 public:
  Sampler(const Pixels<const T>& from, const SamplingOptions& options)
      : from_(from), options_(options) {}

  void sample(float x, float y, T* to) const {
    x = inside(x, from_.width, options_.fill_mode);
    y = inside(y, from_.height, options_.fill_mode);
    if (options_.interpolation == Interpolation::nearest)
      return copy(std::round(x), std::round(y), to);
    const float left = std::floor(x), top = std::floor(y);
    if (left >= 0 && top >= 0 && left + 1 < static_cast<float>(from_.width) &&
        top + 1 < static_cast<float>(from_.height))
      blend(from_.at(static_cast<int64_t>(top), static_cast<int64_t>(left)), x - left, y - top, to);
    else
      blend_at_edge(left, top, x - left, y - top, to);
  }

 private:
  bool exists(float x, float y) const {
    return x >= 0 && y >= 0 && x < static_cast<float>(from_.width) &&
           y < static_cast<float>(from_.height);
  }
  const T* pixel(float x, float y) const {
    return from_.at(static_cast<int64_t>(y), static_cast<int64_t>(x));
  }
  void copy(float x, float y, T* to) const {
    if (exists(x, y))
      std::copy_n(pixel(x, y), from_.channels, to);
    else
      std::fill_n(to, from_.channels, value_of<T>(options_.fill_value));
  }
  // For four neighbours inside the image.
  void blend(const T* pixel, float right, float down, T* to) const {
    const T* below = pixel + from_.stride;
    const float w11 = right * down, w10 = down - w11, w01 = right - w11, w00 = 1 - right - w10;
    for (int c = 0; c < from_.channels; ++c)
      to[c] = value_of<T>(w00 * pixel[c] + w01 * pixel[c + from_.channels] + w10 * below[c] +
                          w11 * below[c + from_.channels]);
  }
  void blend_at_edge(float left, float top, float right, float down, T* to) const {
    const auto value = [&](float x, float y, int c) {
      return exists(x, y) ? static_cast<float>(pixel(x, y)[c]) : options_.fill_value;
    };
    for (int c = 0; c < from_.channels; ++c)
      to[c] = value_of<T>(
          (1 - down) * ((1 - right) * value(left, top, c) + right * value(left + 1, top, c)) +
          down * ((1 - right) * value(left, top + 1, c) + right * value(left + 1, top + 1, c)));
  }

  const Pixels<const T>& from_;
  const SamplingOptions& options_;
};

}  // namespace

FillMode parse_fill_mode(std::string_view name) {
  if (name == "reflect") return FillMode::reflect;
  if (name == "constant") return FillMode::constant;
  if (name == "wrap") return FillMode::wrap;
  if (name == "nearest") return FillMode::nearest;
  throw InvalidArgument(fmt::format("unknown fill_mode \"{}\".", name),
                        "reflect, constant, wrap and nearest are known.");
}

Affine Affine::after(const Affine& first) const {
  const Affine& f = first;
  return {f.a0 * a0 + f.a1 * b0, f.a0 * a1 + f.a1 * b1, f.a0 * a2 + f.a1 * b2 + f.a2,
          f.b0 * a0 + f.b1 * b0, f.b0 * a1 + f.b1 * b1, f.b0 * a2 + f.b1 * b2 + f.b2};
}

Affine rotation(int64_t height, int64_t width, double turns) {
  const double angle = 2 * std::numbers::pi * turns, cosine = std::cos(angle),
               sine = std::sin(angle);
  const double x = static_cast<double>(width - 1) / 2, y = static_cast<double>(height - 1) / 2;
  return {cosine, -sine, x - x * cosine + y * sine, sine, cosine, y - x * sine - y * cosine};
}

Affine zoom(int64_t height, int64_t width, double height_factor, double width_factor) {
  const double x = static_cast<double>(width - 1) / 2, y = static_cast<double>(height - 1) / 2;
  return {1 + width_factor, 0, -width_factor * x, 0, 1 + height_factor, -height_factor * y};
}

Affine translation(int64_t height, int64_t width, double height_factor, double width_factor) {
  return {1, 0, -width_factor * static_cast<double>(width),
          0, 1, -height_factor * static_cast<double>(height)};
}

template <class T>
void transform(const Pixels<const T>& from, const Affine& affine, const SamplingOptions& options,
               const Pixels<T>& to) {
  if (from.channels != to.channels)
    throw InvalidArgument(
        fmt::format("transform: {} channels cannot become {}.", from.channels, to.channels));
  if (options.interpolation != Interpolation::nearest &&
      options.interpolation != Interpolation::bilinear)
    throw InvalidArgument("transform: the interpolation must be nearest or bilinear.");
  const Sampler<T> sampler(from, options);
  for (int64_t row = 0; row < to.height; ++row)
    for (int64_t column = 0; column < to.width; ++column) {
      const auto x = static_cast<double>(column), y = static_cast<double>(row);
      sampler.sample(static_cast<float>(affine.a0 * x + affine.a1 * y + affine.a2),
                     static_cast<float>(affine.b0 * x + affine.b1 * y + affine.b2),
                     to.at(row, column));
    }
}

template void transform(const Pixels<const uint8_t>&, const Affine&, const SamplingOptions&,
                        const Pixels<uint8_t>&);
template void transform(const Pixels<const float>&, const Affine&, const SamplingOptions&,
                        const Pixels<float>&);

}  // namespace stoker::images
