#pragma once
#include <array>

#include "stoker/tensor.h"

// Colour spaces of images (batch, height, width, 3).
namespace stoker::nn {

using Channels = std::array<Tensor, 3>;  // each (batch, height, width, 1)
Channels channels_of(const Tensor& images);
Tensor joined(const Channels& channels);

// Hue, saturation and value; hue and saturation are in [0, 1].
Channels rgb_to_hsv(const Channels& rgb);
Channels hsv_to_rgb(const Channels& hsv);
Tensor rgb_to_grayscale(const Tensor& images);  // one channel

}  // namespace stoker::nn
