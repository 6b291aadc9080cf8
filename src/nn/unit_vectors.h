#pragma once
#include "stoker/ops/reduce.h"

namespace stoker::nn {

// x divided by its norm over the axes, or by `least` (Keras's epsilon) if the norm is smaller. Zero
// vectors have the gradient 1 / least, as in Keras on TensorFlow; that of minimum(rsqrt(0), 1 /
// least) would be NaN.
Tensor unit_vectors(const Tensor& x, std::vector<int64_t> axes, double least = 1e-7);

}  // namespace stoker::nn
