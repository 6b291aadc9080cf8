#pragma once
#include "stoker/ops/reduce.h"

namespace stoker::nn {

// x divided by its length over the axes, or by `least` where it is shorter: Keras's epsilon.
// Vectors of zeros pass a gradient of 1 / least on, as in Keras on TensorFlow; that of
// minimum(rsqrt(0), 1 / least) is NaN.
Tensor unit_vectors(const Tensor& x, std::vector<int64_t> axes, double least = 1e-7);

}  // namespace stoker::nn
