#pragma once
#include <string_view>

#include "io/images/image.h"
#include "io/images/resize.h"

namespace stoker::images {

// How an image is extended, with Keras's names; abcd becomes reflect dcba|abcd|dcba, constant
// 0000|abcd|0000, wrap abcd|abcd|abcd, nearest aaaa|abcd|dddd.
enum class FillMode { reflect, constant, wrap, nearest };
FillMode parse_fill_mode(std::string_view name);  // throws InvalidArgument

struct SamplingOptions {
  Interpolation interpolation = Interpolation::bilinear;  // or nearest
  FillMode fill_mode = FillMode::reflect;
  float fill_value = 0;
};

// The source coordinates of the result's pixel (x, y): (a0 x + a1 y + a2, b0 x + b1 y + b2), in
// pixel indices.
struct Affine {
  double a0 = 1, a1 = 0, a2 = 0, b0 = 0, b1 = 1, b2 = 0;

  Affine after(const Affine& first) const;  // the composition: maps by this, then by `first`
};
// The transformations of Keras's RandomRotation, RandomZoom and RandomTranslation: a rotation
// around the centre by a fraction of a full turn; a zoom to 1 + factor of height and width; a shift
// down and right by a fraction of the sides.
Affine rotation(int64_t height, int64_t width, double turns);
Affine zoom(int64_t height, int64_t width, double height_factor, double width_factor);
Affine translation(int64_t height, int64_t width, double height_factor, double width_factor);

// `to` must not overlap `from`; uint8 results are rounded.
template <class T>
void transform(const Pixels<const T>& from, const Affine& affine, const SamplingOptions& options,
               const Pixels<T>& to);

extern template void transform(const Pixels<const uint8_t>&, const Affine&, const SamplingOptions&,
                               const Pixels<uint8_t>&);
extern template void transform(const Pixels<const float>&, const Affine&, const SamplingOptions&,
                               const Pixels<float>&);

}  // namespace stoker::images
