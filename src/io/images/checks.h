#pragma once
#include "stoker/array.h"

namespace stoker::images {

// Throws InvalidArgument unless it is a non-empty (height, width, channels) array of uint8 or
// float32.
void check_image(const Array& image, const char* function);

// f(pixels) for pixels of the array's type.
template <class F>
auto with_type(const Array& image, const F& f) {
  return image.dtype() == DType::uint8 ? f(uint8_t{}) : f(float{});
}

}  // namespace stoker::images
