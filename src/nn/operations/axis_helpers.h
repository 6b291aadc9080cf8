#pragma once
#include <vector>

#include "stoker/config.h"
#include "stoker/tensor.h"

// Axis helpers for operations.
namespace stoker::nn {

std::vector<int64_t> integers(const Config& value);  // a number as a list of one; null: empty
std::vector<int64_t> axes_of(const Config& axis, int rank);  // non-negative; null: all
Tensor as_float(const Tensor& x);                            // integers as float32
Tensor number(const Tensor& like, double value);             // a constant of its dtype

Tensor rounded_half_even(const Tensor& x);

Tensor moved(const Tensor& x, int64_t from, int64_t to);  // moves one axis
// Slices of x along an axis: [start, start + size), and a gather by a list of indices.
Tensor part(const Tensor& x, int axis, int64_t start, int64_t size);
Tensor picked(const Tensor& x, int axis, const std::vector<int64_t>& places);
// Transposes and joins the given axes into one, the last.
Tensor with_axes_last(const Tensor& x, const std::vector<int64_t>& axes);
// The inverse, for an x of that shape.
Tensor with_axes_back(const Tensor& y, const Shape& shape, const std::vector<int64_t>& axes);
// The shape after a reduction over those axes.
Shape reduced_shape(const Shape& shape, const std::vector<int64_t>& axes, bool keepdims);

// arange(n) as a constant.
Tensor count_up(int64_t n, DType dtype);

}  // namespace stoker::nn
