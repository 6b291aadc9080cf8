#pragma once
#include "stoker/ops/elementwise.h"

namespace stoker::nn {

// What a float16 cannot be computed in: sums of squares, which overflow, and several ops that
// should round once.
inline Tensor at_least_float32(const Tensor& x) {
  return is_half(x.dtype()) || !is_floating(x.dtype()) ? ops::cast(x, DType::float32) : x;
}

}  // namespace stoker::nn
