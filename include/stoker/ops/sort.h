#pragma once
#include "stoker/tensor.h"

// Equal elements keep their order; what is no number counts as the largest, as in NumPy.
namespace stoker::ops {

Tensor sort(const Tensor& x, int64_t axis = -1);     // rising
Tensor argsort(const Tensor& x, int64_t axis = -1);  // int32: where each one of sort(x) was

struct TopK {
  Tensor values, indices;
};
TopK top_k(const Tensor& x, int64_t k);  // along the last axis, falling

}  // namespace stoker::ops
