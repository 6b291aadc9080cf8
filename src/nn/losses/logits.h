#pragma once
#include "stoker/tensor.h"

namespace stoker::nn {

// y_pred itself if it is logits; what a traced softmax or sigmoid was given if y_pred is its output
// (or a reshape or cast of it): a loss on logits is exact where one on probabilities has already
// lost digits. Undefined if y_pred is plain probabilities.
Tensor logits_of(const Tensor& y_pred, bool from_logits, const char* activation);

// Probabilities as Keras takes them into a logarithm: in [1e-7, 1 - 1e-7].
Tensor clip_probabilities(const Tensor& p);

}  // namespace stoker::nn
