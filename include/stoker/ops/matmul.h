#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

struct MatmulArgs {
  bool transpose_a = false, transpose_b = false;
};
// (m, k) x (k, n) → (m, n).
Tensor matmul(const Tensor& a, const Tensor& b, MatmulArgs args = {});

}  // namespace stoker::ops
