#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

Tensor one_hot(const Tensor& indices, int64_t depth, DType dtype = DType::float32);
// The result of gather for an index out of range.
enum class Missing { zeros, nan };
Tensor gather(const Tensor& rows, const Tensor& indices,  // along axis 0
              Missing missing = Missing::zeros);
// x[…, indices[…, i, …], …] along an axis; the other axes must agree, negative indices count from
// the end.
Tensor take_along_axis(const Tensor& x, const Tensor& indices, int64_t axis = -1);
// Is targets[i] among the k largest of predictions[i]? bool(batch)
Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k);

}  // namespace stoker::ops
