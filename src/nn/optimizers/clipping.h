#pragma once
#include <vector>

#include "stoker/tensor.h"

namespace stoker::nn {

Tensor clip_by_norm(const Tensor& gradient, double limit);  // by its own norm
// What all gradients are multiplied with so that their joint norm is at most `limit`.
Tensor global_norm_scale(const std::vector<Tensor>& gradients, double limit);

}  // namespace stoker::nn
