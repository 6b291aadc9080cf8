#pragma once
#include <string>

#include "stoker/tensor.h"

namespace stoker::ops {

struct MatmulArgs {
  bool transpose_a = false, transpose_b = false;
};
// (m, k) x (k, n) → (m, n); leading axes are batch axes of equal shape.
Tensor matmul(const Tensor& a, const Tensor& b, MatmulArgs args = {});

// "abc,cd->abd": numpy's einsum of two tensors, without "...".
Tensor einsum(const std::string& equation, const Tensor& a, const Tensor& b);

}  // namespace stoker::ops
