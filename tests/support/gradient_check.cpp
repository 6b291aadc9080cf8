#include "support/gradient_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/random_values.h"
#include "support/tolerance.h"

namespace stoker::testing {
namespace {

double product(const Array& a, const Array& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.size(); ++i) sum += a.at(i) * b.at(i);
  return sum;
}

double difference(const DifferentiableFunction& f, const Array& x, const Array& weights,
                  const Array& direction) {
  double total[2];
  for (int side = 0; side < 2; ++side) {
    const double step = side == 0 ? difference_step : -difference_step;
    Array moved = x.clone();
    const auto values = moved.mutable_data<double>();
    for (size_t e = 0; e < values.size(); ++e) values[e] += step * direction.data<double>()[e];
    total[side] = product(f(moved), weights);
  }
  return (total[0] - total[1]) / (2 * difference_step);
}

// The indices of first and last elements along every axis.
std::set<int64_t> corners(const Shape& shape) {
  std::set<int64_t> found{0};
  for (const int64_t length : shape.dims()) {
    std::set<int64_t> next;
    for (const int64_t at : found) next.insert({at * length, at * length + length - 1});
    found = next;
  }
  return found;
}

// A unit vector with every `groups`th element from `first` on.
Array direction(const Shape& shape, int64_t first, int64_t groups) {
  // not a seed of any case's input, along which a gradient may vanish
  constexpr uint64_t seed = 7001;
  const Array random = random_values(shape, seed);
  Array direction(DType::float64, shape);
  const auto values = direction.mutable_data<double>();
  for (int64_t e = first; e < shape.size(); e += groups)
    values[static_cast<size_t>(e)] = std::copysign(0.5, random.at(e)) + random.at(e) / 2;
  const double length = std::sqrt(product(direction, direction));
  for (double& value : values) value /= length;
  return direction;
}

}  // namespace

std::string gradient_mismatch(const DifferentiableFunction& f, const Array& x, const Array& weights,
                              const Array& gradient) {
  if (gradient.shape() != x.shape())
    return fmt::format("a gradient of {} for {}", to_string(gradient.shape()),
                       to_string(x.shape()));
  const auto check = [&](int64_t first, int64_t groups) -> std::string {
    const Array along = direction(x.shape(), first, groups);
    const double expected = difference(f, x, weights, along), actual = product(gradient, along);
    if (difference_tolerance.holds(actual, expected)) return "";
    return fmt::format("element {}{}: {} instead of {}", first,
                       first + groups < x.size() ? fmt::format(" and every {}th", groups) : "",
                       actual, expected);
  };
  const int64_t size = x.size(), groups = std::min<int64_t>(size, 120);
  std::string wrong;
  for (int64_t first = 0; first < groups && wrong.empty(); ++first) wrong = check(first, groups);
  if (size > groups)
    for (const int64_t corner : corners(x.shape()))
      if (wrong.empty()) wrong = check(corner, size);
  return wrong;
}

}  // namespace stoker::testing
