#include "nn/layers/image/image_sampling.h"

#include <numeric>

#include "graph/emit.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {
namespace {

Array counted(int64_t n, const Shape& shape, DType dtype) {
  std::vector<double> numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return Array::from(numbers, shape).astype(dtype);
}

// [abcd] is extended as dcba|abcd|dcba.
Tensor reflected(const Tensor& at, double size) {
  const Tensor mirrored = ops::where(ops::less(at, 0), -at - 1.0, at);
  const Tensor in_period = mirrored - ops::floor(mirrored / (2 * size)) * (2 * size);
  return ops::where(ops::greater_equal(in_period, size), 2 * size - 1 - in_period, in_period);
}

// [abcd] is extended as abcd|abcd|abcd; the period is size - 1, as in TensorFlow.
Tensor wrapped(const Tensor& at, double size) {
  const Tensor below = at + (ops::floor(-at / (size - 1)) + 1.0) * size;
  const Tensor above = at - ops::floor(at / (size - 1)) * size;
  const Tensor low = ops::less(at, 0), high = ops::greater(at, size - 1);
  return ops::where(low, below, ops::where(high, above, at));
}

Tensor inside(const Tensor& at, int64_t length, const std::string& fill_mode) {
  const auto size = static_cast<double>(length);
  if (fill_mode == "constant") return at;
  if (fill_mode == "reflect" && length > 1) return ops::clip(reflected(at, size), 0, size - 1);
  if (fill_mode == "wrap" && length > 1) return ops::clip(wrapped(at, size), 0, size - 1);
  return ops::clip(at, 0, size - 1);
}

// Reads pixels at integer coordinates.
class Pixels {
 public:
  Pixels(const Tensor& images, const Sampling& sampling) : images_(images), sampling_(sampling) {}

  Tensor at(const Tensor& y, const Tensor& x) const {
    const Tensor found = read_pixels(images_, y, x);
    if (sampling_.fill_mode != "constant") return found;
    const Tensor exists =
        ops::logical_and(within(y, images_.shape()[1]), within(x, images_.shape()[2]));
    return ops::where(ops::expand_dims(exists, -1), found,
                      graph::scalar_like(found, sampling_.fill_value));
  }

 private:
  static Tensor within(const Tensor& at, int64_t size) {
    return ops::logical_and(ops::greater_equal(at, 0), ops::less(at, static_cast<double>(size)));
  }
  const Tensor& images_;
  const Sampling& sampling_;
};

// Rounds half away from zero.
Tensor rounded(const Tensor& x) { return ops::sign(x) * ops::floor(ops::abs(x) + 0.5); }

Tensor weighed(const Tensor& pixels, const Tensor& share) {
  return pixels * ops::cast(ops::expand_dims(share, -1), pixels.dtype());
}

}  // namespace

Tensor row_numbers(int64_t n) { return counted(n, {1, n, 1}, DType::float32); }
Tensor column_numbers(int64_t n) { return counted(n, {1, 1, n}, DType::float32); }

Tensor read_pixels(const Tensor& images, const Tensor& y, const Tensor& x) {
  const int64_t batch = images.shape()[0], height = images.shape()[1], width = images.shape()[2],
                channels = images.shape()[3];
  const auto whole = [](const Tensor& at, int64_t size) {
    return ops::cast(ops::clip(at, 0, static_cast<double>(size - 1)), DType::int64);
  };
  const Tensor image = counted(batch, {batch, 1, 1}, DType::int64);
  const Tensor row = image * static_cast<double>(height) + whole(y, height);
  const Tensor index = row * static_cast<double>(width) + whole(x, width);
  const Shape& out = index.shape();
  const Tensor flat = ops::reshape(images, {batch * height * width, channels});
  return ops::reshape(ops::gather(flat, ops::reshape(index, {-1})),
                      {batch, out[1], out[2], channels});
}

Tensor sample(const Tensor& images, const Tensor& columns, const Tensor& rows,
              const Sampling& sampling) {
  const Tensor x = inside(columns, images.shape()[2], sampling.fill_mode),
               y = inside(rows, images.shape()[1], sampling.fill_mode);
  const Pixels pixels(images, sampling);
  if (sampling.interpolation == "nearest") return pixels.at(rounded(y), rounded(x));
  const Tensor left = ops::floor(x), top = ops::floor(y);
  const Tensor to_right = x - left, to_bottom = y - top;
  const auto line = [&](const Tensor& at) {
    return weighed(pixels.at(at, left), 1.0 - to_right) +
           weighed(pixels.at(at, left + 1.0), to_right);
  };
  return weighed(line(top), 1.0 - to_bottom) + weighed(line(top + 1.0), to_bottom);
}

Tensor affine_transform(const Tensor& images, const Affine& affine, const Sampling& sampling) {
  const Tensor columns = column_numbers(images.shape()[2]), rows = row_numbers(images.shape()[1]);
  return sample(images, affine.a0 * columns + affine.a1 * rows + affine.a2,
                affine.b0 * columns + affine.b1 * rows + affine.b2, sampling);
}

}  // namespace stoker::nn
