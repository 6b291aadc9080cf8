#include "stoker/ops/resize.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "stoker/error.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::ops {
namespace {

using Filter = double (*)(double distance);  // of a sample at this distance, in pixels

double triangle(double d) { return std::max(0.0, 1 - d); }
double keys(double d) {
  if (d >= 2) return 0;
  return d >= 1 ? ((-0.5 * d + 2.5) * d - 4) * d + 2 : (1.5 * d - 2.5) * d * d + 1;
}
double lanczos(double d, double radius) {
  if (d > radius) return 0;
  if (d < 1e-3) return 1;
  const double pi = std::numbers::pi;
  return radius * std::sin(pi * d) * std::sin(pi * d / radius) / (pi * pi * d * d);
}

Filter filter_of(const std::string& interpolation) {
  if (interpolation == "bilinear") return triangle;
  if (interpolation == "bicubic") return keys;
  if (interpolation == "lanczos3") return [](double d) { return lanczos(d, 3); };
  if (interpolation == "lanczos5") return [](double d) { return lanczos(d, 5); };
  throw InvalidArgument(
      fmt::format("[resize] unknown interpolation \"{}\".", interpolation),
      "use \"nearest\", \"bilinear\", \"bicubic\", \"lanczos3\" or \"lanczos5\".");
}

// Row i: how much of each old pixel the new pixel i takes; every row sums to 1.
std::vector<double> weights_of(int64_t from, int64_t to, const std::string& interpolation,
                               bool antialias) {
  std::vector<double> weights(static_cast<size_t>(from * to), 0);
  const double step = static_cast<double>(from) / static_cast<double>(to);
  const double width = antialias ? std::max(step, 1.0) : 1.0;
  for (int64_t i = 0; i < to; ++i) {
    double* row = weights.data() + i * from;
    const double centre = (static_cast<double>(i) + 0.5) * step - 0.5;
    if (interpolation == "nearest") {
      row[std::min(from - 1, static_cast<int64_t>(std::floor(centre + 0.5)))] = 1;
      continue;
    }
    const Filter filter = filter_of(interpolation);
    double sum = 0;
    for (int64_t j = 0; j < from; ++j)
      sum += row[j] = filter(std::abs(centre - static_cast<double>(j)) / width);
    for (int64_t j = 0; j < from; ++j) row[j] /= sum;
  }
  return weights;
}

// Brings an axis to the front, or back from there.
Tensor front(const Tensor& x, int axis, bool back) {
  std::vector<int64_t> order;
  for (int i = 0; i < x.shape().rank(); ++i)
    order.push_back(back ? (i < axis    ? i + 1
                            : i == axis ? 0
                                        : i)
                         : (i == 0      ? axis
                            : i <= axis ? i - 1
                                        : i));
  return transpose(x, order);
}

}  // namespace

Tensor repeat(const Tensor& x, int64_t repeats, int64_t axis) {
  const int at = normalize_axis(axis, x.shape().rank());
  if (repeats == 1) return x;
  Tensor apart = expand_dims(x, at + 1);
  Shape spread = apart.shape(), joined = x.shape();
  spread[at + 1] = repeats;
  joined[at] *= repeats;
  return reshape(broadcast_to(apart, spread), joined);
}

Tensor resize_axis(const Tensor& x, int64_t axis, int64_t size, const std::string& interpolation,
                   bool antialias) {
  const int at = normalize_axis(axis, x.shape().rank());
  const int64_t from = x.shape()[at];
  if (size == from) return x;
  const Tensor weights =
      Array::from(weights_of(from, size, interpolation, antialias), {size, from}).astype(x.dtype());
  const Tensor rows = front(x, at, false);
  Shape shape = rows.shape();
  shape[0] = size;
  return front(reshape(matmul(weights, reshape(rows, {from, -1})), shape), at, true);
}

}  // namespace stoker::ops
