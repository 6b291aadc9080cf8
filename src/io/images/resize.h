#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "io/images/image.h"

namespace stoker::images {

// As tf.image.resize names and defines them, pixel centres at halves.
enum class Interpolation { nearest, bilinear, area, bicubic };
Interpolation parse_interpolation(std::string_view name);  // throws InvalidArgument

struct ResizeOptions {
  Interpolation interpolation = Interpolation::bilinear;
  bool antialias = false;  // of bilinear and bicubic where the image becomes smaller
  bool flip_left_right = false;
};

// What happens to every value on its way: value * scale + offset, by channel (from the fifth on
// the first one's).
struct Normalization {
  std::array<float, 4> scale{1, 1, 1, 1}, offset{0, 0, 0, 0};
};

// Memory that calls reuse; one per thread.
struct ResizeMemory {
  std::vector<float> row, result, row_weights, column_weights;
  std::vector<int32_t> row_starts, column_starts;
};

// The pixels of a box (clamped at its edges, as if it were an image of its own), made to fill `to`,
// which is written only: a row of a batch, for example. uint8 results are rounded.
template <class From, class To>
void resize(const Pixels<const From>& from, const RealBox& box, const ResizeOptions& options,
            const Normalization& normalization, const Pixels<To>& to, ResizeMemory& memory);

extern template void resize(const Pixels<const uint8_t>&, const RealBox&, const ResizeOptions&,
                            const Normalization&, const Pixels<uint8_t>&, ResizeMemory&);
extern template void resize(const Pixels<const uint8_t>&, const RealBox&, const ResizeOptions&,
                            const Normalization&, const Pixels<float>&, ResizeMemory&);
extern template void resize(const Pixels<const float>&, const RealBox&, const ResizeOptions&,
                            const Normalization&, const Pixels<float>&, ResizeMemory&);

// A whole image, for callers without a place for the result: float32 as tf.image.resize, but
// nearest keeps the type.
Array resize(const Array& image, int64_t height, int64_t width, const ResizeOptions& options = {});

}  // namespace stoker::images
