#pragma once
#include <vector>

#include "stoker/tensor.h"

namespace stoker::nn {

Tensor clip_by_norm(const Tensor& gradient, double limit);  // by its own norm
// The factor for all gradients that limits their global norm to `limit`.
Tensor global_norm_scale(const std::vector<Tensor>& gradients, double limit);

}  // namespace stoker::nn
