#pragma once
#include <string>

#include "stoker/tensor.h"

namespace stoker::nn {

struct ImageSize {
  int64_t height, width;
};
// (batch, height, width, channels) → that size. All but "nearest" give the images' floating type.
Tensor resize_images(const Tensor& images, ImageSize size, const std::string& interpolation,
                     bool antialias = false);
// The largest part in the middle with the proportions of `size`.
Tensor crop_to_proportions(const Tensor& images, ImageSize size);
// With borders, so that it has the proportions of `size`.
Tensor pad_to_proportions(const Tensor& images, ImageSize size, double fill_value);

}  // namespace stoker::nn
