#pragma once
#include "stoker/tensor.h"

namespace stoker::nn {

// Cumulative sum and product along an axis.
Tensor running_sum(const Tensor& x, int axis);
Tensor running_product(const Tensor& x, int axis);

}  // namespace stoker::nn
