#pragma once
#include <vector>

#include "stoker/tensor.h"

namespace stoker::nn {

// A one-dimensional convolution along an axis (1: rows, 2: columns) with an odd number of weights
// and zero padding.
Tensor weigh_neighbours(const Tensor& images, int64_t axis, const std::vector<Tensor>& weights);

}  // namespace stoker::nn
