#pragma once
#include "stoker/tensor.h"

// Helpers for ops along one axis: transposing it to the end, and indices within rows.
namespace stoker::ops {

// Swaps the axis and the last one; its own inverse.
Tensor with_axis_last(const Tensor& x, int64_t axis);

// Indices within rows of a length, (…, count), as indices into the flattened rows: (rows * count).
Tensor places_in_all_rows(const Tensor& places, int64_t length);

}  // namespace stoker::ops
