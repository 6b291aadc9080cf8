#include "io/images/adjust.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "io/images/color_kernels.h"

namespace stoker::images {
namespace {

// tf.image.convert_image_dtype: multiplied by 255.5, then truncated.
uint8_t byte_of(float unit) {
  return static_cast<uint8_t>(std::clamp(unit * 255.5f, 0.0f, 255.0f));
}

// Maps each value; bytes by a lookup table.
template <class F>
void change(const Pixels<uint8_t>& image, int channel, int step, const F& f) {
  std::array<uint8_t, 256> table;
  for (size_t i = 0; i < table.size(); ++i) table[i] = byte_of(f(static_cast<float>(i) / 255.0f));
  for (int64_t y = 0; y < image.height; ++y) {
    uint8_t* row = image.row(y);
    for (int64_t i = channel; i < image.width * image.channels; i += step) row[i] = table[row[i]];
  }
}
template <class F>
void change(const Pixels<float>& image, int channel, int step, const F& f) {
  for (int64_t y = 0; y < image.height; ++y) {
    float* row = image.row(y);
    for (int64_t i = channel; i < image.width * image.channels; i += step) row[i] = f(row[i]);
  }
}

template <class T>
double sum_of(const Pixels<T>& image, int channel) {
  double sum = 0;
  for (int64_t y = 0; y < image.height; ++y) {
    std::conditional_t<std::is_same_v<T, uint8_t>, int64_t, double> row_sum = 0;
    const T* row = image.row(y) + channel;
    for (int64_t x = 0; x < image.width; ++x) row_sum += row[x * image.channels];
    sum += static_cast<double>(row_sum);
  }
  return sum;
}

template <class T>
void check_rgb(const Pixels<T>& image, const char* what) {
  if (image.channels != 3)
    throw InvalidArgument(
        fmt::format("{}: an image of 3 channels (RGB) is needed, got {}.", what, image.channels));
}

}  // namespace

template <class T>
void adjust_brightness(const Pixels<T>& image, float delta) {
  change(image, 0, 1, [delta](float v) { return v + delta; });
}

template <class T>
void adjust_contrast(const Pixels<T>& image, float factor) {
  const double range = std::is_same_v<T, uint8_t> ? 255 : 1;
  const double count = static_cast<double>(image.height * image.width);
  for (int c = 0; c < image.channels; ++c) {
    const auto mean = static_cast<float>(sum_of(image, c) / count / range);
    change(image, c, image.channels, [=](float v) { return (v - mean) * factor + mean; });
  }
}

template <class T>
void adjust_saturation(const Pixels<T>& image, float factor) {
  check_rgb(image, "adjust_saturation");
  for (int64_t y = 0; y < image.height; ++y) saturate_pixels(image.row(y), image.width, factor);
}

template <class T>
void adjust_hue(const Pixels<T>& image, float delta) {
  check_rgb(image, "adjust_hue");
  for (int64_t y = 0; y < image.height; ++y) turn_pixels(image.row(y), image.width, delta);
}

template <class T>
void flip_left_right(const Pixels<T>& image) {
  for (int64_t y = 0; y < image.height; ++y)
    for (int64_t left = 0, right = image.width - 1; left < right; ++left, --right)
      std::swap_ranges(image.at(y, left), image.at(y, left) + image.channels, image.at(y, right));
}

template <class T>
void flip_up_down(const Pixels<T>& image) {
  for (int64_t top = 0, bottom = image.height - 1; top < bottom; ++top, --bottom)
    std::swap_ranges(image.row(top), image.row(top) + image.width * image.channels,
                     image.row(bottom));
}

#define STOKER_FOR(T)                                       \
  template void adjust_brightness(const Pixels<T>&, float); \
  template void adjust_contrast(const Pixels<T>&, float);   \
  template void adjust_saturation(const Pixels<T>&, float); \
  template void adjust_hue(const Pixels<T>&, float);        \
  template void flip_left_right(const Pixels<T>&);          \
  template void flip_up_down(const Pixels<T>&);
STOKER_FOR(uint8_t)
STOKER_FOR(float)
#undef STOKER_FOR

}  // namespace stoker::images
