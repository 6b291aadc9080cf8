#pragma once
#include <array>

#include "nn/layers/image/image_sampling.h"

namespace stoker::nn {

// Four corners: top left, top right, bottom left, bottom right; each (batch, 1, 1).
struct Corners {
  std::array<Tensor, 4> x, y;
};
// Transforms images so that the corners `start` move to `end`.
Tensor perspective_transform(const Tensor& images, const Corners& start, const Corners& end,
                             const Sampling& sampling);

}  // namespace stoker::nn
