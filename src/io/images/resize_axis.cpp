#include "io/images/resize_axis.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stoker::images {
namespace {

double triangle(double x) { return std::max(0.0, 1 - x); }

double keys_cubic(double x) {  // a = -0.5
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return (1.5 * x - 2.5) * x * x + 1;
}

double mitchell_cubic(double x) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-7.0 / 18 * x + 2) * x - 10.0 / 3) * x + 16.0 / 9;
  return (7.0 / 6 * x - 2) * x * x + 8.0 / 9;
}

double lanczos(double x, double radius) {
  if (x > radius) return 0;
  if (x <= 1e-3) return 1;
  const double angle = std::numbers::pi * x;
  return radius * std::sin(angle) * std::sin(angle / radius) / (angle * angle);
}

double gaussian(double x, double radius) {
  const double sigma = radius / 3;
  return x >= radius ? 0 : std::exp(-x * x / (2 * sigma * sigma));
}

struct Span {
  int64_t first, last;
  int64_t size() const { return last - first + 1; }
  int64_t clamp(double at) const {
    return static_cast<int64_t>(
        std::clamp(at, static_cast<double>(first), static_cast<double>(last)));
  }
};

// A filter kernel around the centre of a result pixel, in input pixels.
struct Kernel {
  Interpolation interpolation;
  double step;   // input pixels per result pixel
  double widen;  // above 1 for antialiasing

  double radius() const {  // without widening
    switch (interpolation) {
      case Interpolation::bilinear:
        return 1;
      case Interpolation::gaussian:
        return 1.5;
      case Interpolation::lanczos3:
        return 3;
      case Interpolation::lanczos5:
        return 5;
      default:
        return 2;
    }
  }
  int most_taps() const {
    if (interpolation == Interpolation::nearest) return 1;
    if (interpolation == Interpolation::area) return static_cast<int>(std::ceil(step)) + 1;
    return static_cast<int>(std::ceil(2 * radius() * widen));
  }
  // The weight of the pixel from `at` to `at` + 1.
  double weight(double at, double centre) const {
    switch (interpolation) {
      case Interpolation::nearest:
        return 1;
      case Interpolation::area:
        return std::max(0.0, std::min(at + 1, centre + step / 2) - std::max(at, centre - step / 2));
      default:
        return weight_at(std::abs(at + 0.5 - centre) / widen);
    }
  }
  double weight_at(double distance) const {
    switch (interpolation) {
      case Interpolation::bilinear:
        return triangle(distance);
      case Interpolation::gaussian:
        return gaussian(distance, radius());
      case Interpolation::mitchellcubic:
        return mitchell_cubic(distance);
      case Interpolation::lanczos3:
      case Interpolation::lanczos5:
        return lanczos(distance, radius());
      default:
        return keys_cubic(distance);
    }
  }
  // The pixels with a non-zero weight.
  Span reach(double centre, const Span& box) const {
    if (interpolation == Interpolation::nearest) {
      const int64_t at = box.clamp(std::floor(centre));
      return {at, at};
    }
    if (interpolation == Interpolation::area)
      return {box.clamp(std::floor(centre - step / 2)),
              box.clamp(std::ceil(centre + step / 2) - 1)};
    const double reaches = radius() * widen;
    return {box.clamp(std::floor(centre - reaches - 0.5) + 1),
            box.clamp(std::ceil(centre + reaches - 0.5) - 1)};
  }
};

// Writes the weights of a span, normalised to sum 1.
void weigh(const Kernel& kernel, double centre, const Span& span, float* weights) {
  double sum = 0;
  for (int64_t i = 0; i < span.size(); ++i) {
    const double weight = kernel.weight(static_cast<double>(span.first + i), centre);
    weights[i] = static_cast<float>(weight);
    sum += weight;
  }
  if (sum < 1e-6) weights[0] = 1, sum = 1;  // a box narrower than rounding errors
  for (int64_t i = 0; i < span.size(); ++i) weights[i] /= static_cast<float>(sum);
}

}  // namespace

void Axis::plan(int64_t in, double begin, double length, int64_t out,
                const ResizeOptions& options) {
  const double step = length / static_cast<double>(out);
  const Kernel kernel{options.interpolation, step, options.antialias ? std::max(step, 1.0) : 1.0};
  const Span box{std::max<int64_t>(0, static_cast<int64_t>(std::floor(begin))),
                 std::min(in, static_cast<int64_t>(std::ceil(begin + length))) - 1};
  taps = static_cast<int>(std::min<int64_t>(kernel.most_taps(), box.size()));
  starts.assign(static_cast<size_t>(out), 0);
  weights.assign(static_cast<size_t>(out * taps), 0);
  for (int64_t i = 0; i < out; ++i) {
    // In float, as in TensorFlow: it determines the nearest pixel.
    const float centre = (static_cast<float>(i) + 0.5f) * static_cast<float>(step);
    Span span = kernel.reach(begin + centre, box);
    span.last = std::min(span.last, span.first + taps - 1);
    const int64_t start = std::min(span.first, box.last + 1 - taps);  // must not read past the end
    weigh(kernel, begin + centre, span,
          &weights[static_cast<size_t>(i * taps + span.first - start)]);
    starts[static_cast<size_t>(i)] = static_cast<int32_t>(start);
  }
}

void Axis::reverse() {
  std::reverse(starts.begin(), starts.end());
  const size_t n = starts.size(), width = static_cast<size_t>(taps);
  for (size_t i = 0; i < n / 2; ++i)
    std::swap_ranges(&weights[i * width], &weights[i * width] + width,
                     &weights[(n - 1 - i) * width]);
}

}  // namespace stoker::images
