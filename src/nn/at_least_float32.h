#pragma once
#include "stoker/ops/elementwise.h"

namespace stoker::nn {

// For computations that float16 is too narrow for: sums of squares, which overflow, and sequences
// of ops that should round once.
inline Tensor at_least_float32(const Tensor& x) {
  return is_half(x.dtype()) || !is_floating(x.dtype()) ? ops::cast(x, DType::float32) : x;
}

}  // namespace stoker::nn
