#pragma once
#include <vector>

#include "stoker/tensor.h"

namespace stoker::nn {

// The sum of each pixel's neighbours along an axis (1: rows, 2: columns), an odd number of them
// with a weight each; there are zeros around an image.
Tensor weigh_neighbours(const Tensor& images, int64_t axis, const std::vector<Tensor>& weights);

}  // namespace stoker::nn
