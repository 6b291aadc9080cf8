#pragma once
#include "stoker/tensor.h"

namespace stoker::nn {

// For labels (…) and outputs (…, classes): is the label among the k largest outputs of its row?
Tensor top_k_hits(const Tensor& labels, const Tensor& outputs, int64_t k);
// The same if a row of outputs contains class indices, best first.
Tensor sorted_id_hits(const Tensor& labels, const Tensor& outputs, int64_t k);

// For each output: is it among the k largest of its row? Ties go to the first.
Tensor is_in_top_k(const Tensor& outputs, int64_t k);

}  // namespace stoker::nn
