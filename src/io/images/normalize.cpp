#include "io/images/normalize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stoker::images {
namespace {

// The number of channels is a template parameter, so that the compiler unrolls the loop.
template <int channels, class From>
void normalize_row(const From* from, int64_t pixels, const Normalization& by, float* to) {
  for (int64_t x = 0; x < pixels; ++x)
    for (int c = 0; c < channels; ++c) {
      const auto value = static_cast<float>(from[x * channels + c]);
      to[x * channels + c] =
          value * by.scale[static_cast<size_t>(c)] + by.offset[static_cast<size_t>(c)];
    }
}

}  // namespace

template <class From>
void normalize(const Pixels<const From>& from, const Normalization& by, const Pixels<float>& to) {
  for (int64_t y = 0; y < to.height; ++y) {
    if (from.channels == 1) normalize_row<1>(from.row(y), from.width, by, to.row(y));
    if (from.channels == 2) normalize_row<2>(from.row(y), from.width, by, to.row(y));
    if (from.channels == 3) normalize_row<3>(from.row(y), from.width, by, to.row(y));
    if (from.channels == 4) normalize_row<4>(from.row(y), from.width, by, to.row(y));
  }
}

template void normalize(const Pixels<const uint8_t>&, const Normalization&, const Pixels<float>&);
template void normalize(const Pixels<const float>&, const Normalization&, const Pixels<float>&);

Normalization normalization(const std::vector<float>& mean, const std::vector<float>& stddev,
                            int64_t channels) {
  const auto fits = [&](size_t n) { return n == 1 || n == static_cast<size_t>(channels); };
  if (channels > 4 || !fits(mean.size()) || !fits(stddev.size()))
    throw InvalidArgument(
        fmt::format("normalize: {} numbers as mean and {} as stddev for an image of {} channels.",
                    mean.size(), stddev.size(), channels),
        "give one number, or one for each of up to four channels.");
  Normalization result;
  for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
    const float m = mean.size() == 1 ? mean[0] : mean[c],
                s = stddev.size() == 1 ? stddev[0] : stddev[c];
    if (!(s > 0))
      throw InvalidArgument(fmt::format("normalize: stddev must be positive, got {}.", s));
    result.scale[c] = 1 / s;
    result.offset[c] = -m / s;
  }
  return result;
}

}  // namespace stoker::images
