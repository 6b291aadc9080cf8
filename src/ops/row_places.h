#pragma once
#include "stoker/tensor.h"

// What ops along one axis share: that axis as the last one, and places in rows.
namespace stoker::ops {

// The axis and the last one exchanged, which undoes itself.
Tensor with_axis_last(const Tensor& x, int64_t axis);

// Places within rows of a length, (…, count), as places in all of those rows one after another:
// (rows * count).
Tensor places_in_all_rows(const Tensor& places, int64_t length);

}  // namespace stoker::ops
