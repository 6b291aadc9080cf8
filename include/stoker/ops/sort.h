#pragma once
#include "stoker/tensor.h"

// Stable sorts; NaN counts as the largest value, as in NumPy.
namespace stoker::ops {

Tensor sort(const Tensor& x, int64_t axis = -1);  // ascending
// int32: the index in x of each element of sort(x)
Tensor argsort(const Tensor& x, int64_t axis = -1);

struct TopK {
  Tensor values, indices;
};
TopK top_k(const Tensor& x, int64_t k);  // along the last axis, descending

}  // namespace stoker::ops
