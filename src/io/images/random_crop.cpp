#include "io/images/random_crop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace stoker::images {
namespace {

void check(const RandomCropOptions& o) {
  const auto fine = [](const Interval& i, float most) {
    return i.low > 0 && i.low <= i.high && i.high <= most;
  };
  if (!fine(o.area, 1.0f) || !fine(o.aspect, 1e6f))
    throw InvalidArgument(
        fmt::format("random resized crop: the area must be in (0, 1] and the aspect ratio above 0, "
                    "low not above high; got area {} to {}, aspect {} to {}.",
                    o.area.low, o.area.high, o.aspect.low, o.aspect.high));
}

std::optional<Box> attempt(int64_t height, int64_t width, const RandomCropOptions& o,
                           Random& random) {
  const double area = static_cast<double>(height * width) * random.uniform(o.area.low, o.area.high);
  const double aspect = std::exp(random.uniform(std::log(o.aspect.low), std::log(o.aspect.high)));
  const int64_t w = std::llround(std::sqrt(area * aspect)),
                h = std::llround(std::sqrt(area / aspect));
  const float down = random.uniform(), right = random.uniform();
  if (w < 1 || h < 1 || w > width || h > height) return std::nullopt;
  const auto place = [](float at, int64_t most) {
    return static_cast<int64_t>(at * static_cast<float>(most + 1));
  };
  return Box{place(down, height - h), place(right, width - w), h, w};
}

}  // namespace

Box centre_crop(int64_t height, int64_t width, double to_height, double to_width) {
  const auto side = [](double wanted, int64_t most) {
    return std::clamp<int64_t>(static_cast<int64_t>(wanted), 1, most);
  };
  const int64_t h = side(static_cast<double>(width) * to_height / to_width, height),
                w = side(static_cast<double>(height) * to_width / to_height, width);
  return {(height - h) / 2, (width - w) / 2, h, w};
}

Box random_resized_crop(int64_t height, int64_t width, const RandomCropOptions& options,
                        Random& random) {
  check(options);
  for (int i = 0; i < options.tries; ++i)
    if (const auto box = attempt(height, width, options, random)) return *box;
  const double aspect = static_cast<double>(width) / static_cast<double>(height);
  return centre_crop(height, width, 1,
                     std::clamp<double>(aspect, options.aspect.low, options.aspect.high));
}

}  // namespace stoker::images
