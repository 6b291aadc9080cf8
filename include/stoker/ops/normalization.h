#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

// Over all axes but the last, the channels: y = (x - mean) / sqrt(variance + epsilon) * gamma +
// beta. gamma, beta, mean and variance have one number per channel; their type may be wider than
// x's.
struct BatchNorm {
  Tensor y, mean, variance;
};
BatchNorm batch_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon);

// Normalises every row (the last axis) to mean 0 and variance 1, then applies gamma and beta, which
// have one number per column; their type may be wider than x's.
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon);

}  // namespace stoker::ops
