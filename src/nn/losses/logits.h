#pragma once
#include "stoker/tensor.h"

namespace stoker::nn {

// Returns y_pred itself if it is logits, or the input of a traced softmax or sigmoid if y_pred is
// its output (or a reshape or cast of it): a loss computed from logits is exact where probabilities
// have lost precision. Undefined if y_pred is plain probabilities.
Tensor logits_of(const Tensor& y_pred, bool from_logits, const char* activation);

// Clips probabilities before a logarithm as Keras does: to [1e-7, 1 - 1e-7].
Tensor clip_probabilities(const Tensor& p);

}  // namespace stoker::nn
