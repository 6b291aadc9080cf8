#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

// Over all axes but the last, the channels: y = (x - mean) / sqrt(variance + epsilon) * gamma +
// beta. gamma, beta, mean and variance have one number for each channel; their type may be wider
// than x's.
struct BatchNorm {
  Tensor y, mean, variance;
};
BatchNorm batch_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon);

// Every row, along the last axis, to mean 0 and variance 1, then times gamma plus beta, which have
// a number for each column; their type may be wider than x's.
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon);

}  // namespace stoker::ops
