#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

Tensor softmax(const Tensor& x, int64_t axis = -1);
Tensor log_softmax(const Tensor& x, int64_t axis = -1);
// -log softmax(logits)[label] over the last axis. NaN for a label out of range.
Tensor sparse_softmax_cross_entropy(const Tensor& labels, const Tensor& logits);
// -sum(target * log softmax(logits)) over the last axis.
Tensor softmax_cross_entropy(const Tensor& target, const Tensor& logits);

}  // namespace stoker::ops
