#pragma once
#include <array>

#include "nn/layers/image/image_sampling.h"

namespace stoker::nn {

// Four corners: top left, top right, bottom left, bottom right; each (batch, 1, 1).
struct Corners {
  std::array<Tensor, 4> x, y;
};
// Images whose `start` comes to lie at `end`, by the projective map between the two.
Tensor perspective_transform(const Tensor& images, const Corners& start, const Corners& end,
                             const Sampling& sampling);

}  // namespace stoker::nn
