#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "io/images/image.h"

namespace stoker::images {

// As named and defined by tf.image.resize, with pixel centres at i + 0.5.
enum class Interpolation {
  nearest,
  bilinear,
  area,
  bicubic,
  lanczos3,
  lanczos5,
  gaussian,
  mitchellcubic
};
Interpolation parse_interpolation(std::string_view name);  // throws InvalidArgument

struct ResizeOptions {
  Interpolation interpolation = Interpolation::bilinear;
  bool antialias = false;  // when downscaling, except for nearest and area
  bool flip_left_right = false;
};

// Applied to every value: value * scale + offset per channel (the fifth and later ones use the
// first's).
struct Normalization {
  std::array<float, 4> scale{1, 1, 1, 1}, offset{0, 0, 0, 0};
};

// Reusable memory; one per thread.
struct ResizeMemory {
  std::vector<float> row, result, row_weights, column_weights;
  std::vector<int32_t> row_starts, column_starts;
};

// Resizes the pixels of a box (clamped at its edges, like a separate image) to fill `to`, for
// example a row of a batch. uint8 results are rounded.
template <class From, class To>
void resize(const Pixels<const From>& from, const RealBox& box, const ResizeOptions& options,
            const Normalization& normalization, const Pixels<To>& to, ResizeMemory& memory);

extern template void resize(const Pixels<const uint8_t>&, const RealBox&, const ResizeOptions&,
                            const Normalization&, const Pixels<uint8_t>&, ResizeMemory&);
extern template void resize(const Pixels<const uint8_t>&, const RealBox&, const ResizeOptions&,
                            const Normalization&, const Pixels<float>&, ResizeMemory&);
extern template void resize(const Pixels<const float>&, const RealBox&, const ResizeOptions&,
                            const Normalization&, const Pixels<float>&, ResizeMemory&);

// Resizes a whole image into a new array: float32 as tf.image.resize, but nearest keeps the type.
Array resize(const Array& image, int64_t height, int64_t width, const ResizeOptions& options = {});

}  // namespace stoker::images
