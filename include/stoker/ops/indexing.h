#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

Tensor one_hot(const Tensor& indices, int64_t depth, DType dtype = DType::float32);
Tensor gather(const Tensor& rows, const Tensor& indices);  // along axis 0
// Is targets[i] among the k largest of predictions[i]? bool(batch)
Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k);
// {position, value} of the first label outside [0, classes), or {-1, 0}: int64(2)
Tensor first_bad_label(const Tensor& labels, int64_t classes);

}  // namespace stoker::ops
