#pragma once
#include <string>
#include <utility>

#include "stoker/tensor.h"

namespace stoker::nn {

// Keras's rule for targets, outputs and weights whose ranks differ by a last axis of size 1.
std::pair<Tensor, Tensor> to_same_rank(const Tensor& a, const Tensor& b);

// As to_same_rank, with the targets in the outputs' dtype. Throws InvalidArgument with both shapes
// if they still differ.
std::pair<Tensor, Tensor> match(const std::string& name, const Tensor& y_true,
                                const Tensor& y_pred);

// a / b, and 0 where b is 0.
Tensor divide_no_nan(const Tensor& a, const Tensor& b);

// Normalised to length 1 along the axis; vectors shorter than 1e-7 stay shorter than 1.
Tensor unit_length(const Tensor& x, int64_t axis);

Tensor move_axis_last(const Tensor& x, int64_t axis);

// Label smoothing: distributes a fraction of each target over the last axis.
Tensor smooth_categorical(const Tensor& target, double share);

}  // namespace stoker::nn
