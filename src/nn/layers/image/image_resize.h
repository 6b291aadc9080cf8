#pragma once
#include <string>

#include "stoker/tensor.h"

namespace stoker::nn {

struct ImageSize {
  int64_t height, width;
};
// (batch, height, width, channels) → that size. All interpolations but "nearest" return the images'
// floating-point type.
Tensor resize_images(const Tensor& images, ImageSize size, const std::string& interpolation,
                     bool antialias = false);
// The largest centred crop with the aspect ratio of `size`.
Tensor crop_to_proportions(const Tensor& images, ImageSize size);
// Pads to the aspect ratio of `size`.
Tensor pad_to_proportions(const Tensor& images, ImageSize size, double fill_value);

}  // namespace stoker::nn
