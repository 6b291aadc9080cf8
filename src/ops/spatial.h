#pragma once
#include <fmt/format.h>

#include <vector>

#include "stoker/error.h"
#include "stoker/shape.h"
#include "stoker/sizes.h"

// Converts arguments per spatial axis to the form of the 2-D ops.
namespace stoker::ops {

using Ints = std::vector<int64_t>;

// The last two of them; with one axis, images have a single row.
inline Sizes<2> of_image(const Ints& values, int64_t otherwise) {
  const size_t n = values.size();
  return {n > 1 ? values[n - 2] : otherwise, n > 0 ? values[n - 1] : otherwise};
}
inline Sizes<4> padding_of_image(const Ints& padding) {
  const size_t n = padding.size();
  Sizes<4> image = 0;
  for (size_t i = 0; i < std::min<size_t>(n, 4); ++i) image[3 - i] = padding[n - 1 - i];
  return image;
}

inline int spatial_axes(const char* op, const Shape& x) {
  if (x.rank() < 3 || x.rank() > 5)
    throw InvalidArgument(fmt::format(
        "[{}] expects one to three axes between batch and channels, got {}.", op, to_string(x)));
  return x.rank() - 2;
}

inline int64_t first_or(const Ints& values, int64_t otherwise) {
  return values.empty() ? otherwise : values[0];
}

}  // namespace stoker::ops
