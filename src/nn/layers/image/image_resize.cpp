#include "nn/layers/image/image_resize.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nn/layers/image/image_sampling.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {
namespace {

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

// Keys's cubic kernel with a = -1/2.
double cubic(double x) {
  x = std::abs(x);
  if (x >= 2) return 0;
  return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2;
}

double lanczos(double x, double radius) {
  if (std::abs(x) >= radius) return 0;
  if (std::abs(x) < 1e-3) return 1;
  const double angle = std::numbers::pi * x;
  return radius * std::sin(angle) * std::sin(angle / radius) / (angle * angle);
}

double kernel(const std::string& interpolation, double x) {
  if (interpolation == "bicubic") return cubic(x);
  if (interpolation == "lanczos3") return lanczos(x, 3);
  if (interpolation == "lanczos5") return lanczos(x, 5);
  return triangle(x);
}

// (from, to): the weight of each input pixel in an output pixel. Pixel centres are at i + 0.5.
Array weights_of(int64_t from, int64_t to, const std::string& interpolation, bool antialias) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double widening = antialias ? std::max(scale, 1.0) : 1.0;
  Array weights(DType::float64, {from, to});
  for (int64_t j = 0; j < to; ++j) {
    const double centre = (static_cast<double>(j) + 0.5) * scale - 0.5;
    std::vector<double> column(static_cast<size_t>(from));
    double sum = 0;
    for (int64_t i = 0; i < from; ++i)
      sum += column[static_cast<size_t>(i)] =
          kernel(interpolation, (centre - static_cast<double>(i)) / widening);
    for (int64_t i = 0; i < from; ++i)
      weights.mutable_data<double>()[static_cast<size_t>(i * to + j)] =
          column[static_cast<size_t>(i)] / sum;
  }
  return weights;
}

// Multiplies the last axis by a matrix.
Tensor apply_last(const Tensor& x, const Array& weights) {
  Shape out = x.shape();
  out[-1] = weights.shape()[1];
  const Tensor rows = ops::reshape(x, {-1, weights.shape()[0]});
  return ops::reshape(ops::matmul(rows, weights.astype(x.dtype())), out);
}

Tensor nearest(const Tensor& images, ImageSize size) {
  const auto from = [](const Tensor& numbers, int64_t old_size, int64_t new_size) {
    const double scale = static_cast<double>(old_size) / static_cast<double>(new_size);
    return ops::floor((numbers + 0.5) * scale);
  };
  const Tensor y = from(row_numbers(size.height), images.shape()[1], size.height);
  const Tensor x = from(column_numbers(size.width), images.shape()[2], size.width);
  return read_pixels(images, y, x);
}

// Rounds and clips to the range of a small integer type.
Tensor as_integers(const Tensor& given, DType dtype) {
  constexpr double fine = 1 << 20;  // tolerance for recognising x.5
  const Tensor x = ops::floor(given * fine + 0.5) / fine;
  const Tensor up = ops::floor(x + 0.5);
  const Tensor odd = ops::not_equal(up, ops::floor(up * 0.5) * 2.0);
  const Tensor half = ops::equal(up - x, 0.5);  // rounds to even
  const Tensor rounded = ops::where(ops::logical_and(odd, half), up - 1.0, up);
  switch (dtype) {
    case DType::uint8:
      return ops::cast(ops::clip(rounded, 0, 255), dtype);
    case DType::int8:
      return ops::cast(ops::clip(rounded, -128, 127), dtype);
    default:
      return ops::cast(rounded, dtype);
  }
}

// a * b / c, truncated, between 1 and `most`.
int64_t proportional(int64_t a, int64_t b, int64_t c, int64_t most) {
  const auto exact = static_cast<float>(a * b) / static_cast<float>(c);
  return std::clamp<int64_t>(static_cast<int64_t>(exact), 1, most);
}

}  // namespace

Tensor resize_images(const Tensor& images, ImageSize size, const std::string& interpolation,
                     bool antialias) {
  if (interpolation == "nearest") return nearest(images, size);
  if (!is_floating(images.dtype()))
    return as_integers(
        resize_images(ops::cast(images, DType::float64), size, interpolation, antialias),
        images.dtype());
  const Array across = weights_of(images.shape()[2], size.width, interpolation, antialias);
  const Array down = weights_of(images.shape()[1], size.height, interpolation, antialias);
  const Tensor wide = apply_last(ops::transpose(images, {0, 3, 1, 2}), across);
  const Tensor both = apply_last(ops::transpose(wide, {0, 1, 3, 2}), down);
  return ops::transpose(both, {0, 3, 2, 1});
}

Tensor crop_to_proportions(const Tensor& images, ImageSize size) {
  const Shape& shape = images.shape();
  const int64_t height = proportional(shape[2], size.height, size.width, shape[1]);
  const int64_t width = proportional(shape[1], size.width, size.height, shape[2]);
  return ops::slice(images, {0, (shape[1] - height) / 2, (shape[2] - width) / 2, 0},
                    {shape[0], height, width, shape[3]});
}

Tensor pad_to_proportions(const Tensor& images, ImageSize size, double fill_value) {
  const Shape& shape = images.shape();
  const auto border = [](int64_t wanted, int64_t given) {
    return std::max<int64_t>(wanted - given, 0) / 2;
  };
  const int64_t most = std::max(shape[1], shape[2]) * std::max(size.height, size.width);
  const int64_t rows = border(proportional(shape[2], size.height, size.width, most), shape[1]);
  const int64_t columns = border(proportional(shape[1], size.width, size.height, most), shape[2]);
  const Tensor padded = ops::pad(images - fill_value, {0, rows, columns, 0}, {0, rows, columns, 0});
  return padded + fill_value;
}

}  // namespace stoker::nn
