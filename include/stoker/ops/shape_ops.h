#pragma once
#include <vector>

#include "stoker/tensor.h"

namespace stoker::ops {

Tensor reshape(const Tensor& x, Shape shape);  // one -1 allowed
Tensor transpose(const Tensor& x, std::vector<int64_t> permutation);
Tensor broadcast_to(const Tensor& x, const Shape& shape);
Tensor expand_dims(const Tensor& x, int64_t axis);
Tensor squeeze(const Tensor& x, int64_t axis);
Tensor concatenate(const std::vector<Tensor>& xs, int64_t axis = -1);
Tensor slice(const Tensor& x, std::vector<int64_t> start, std::vector<int64_t> size);
Tensor pad(const Tensor& x, std::vector<int64_t> before, std::vector<int64_t> after);  // with zeros
Tensor zeros_like(const Tensor& x);
Tensor ones_like(const Tensor& x);
Tensor fill(const Shape& shape, double value, DType dtype = DType::float32);

}  // namespace stoker::ops
