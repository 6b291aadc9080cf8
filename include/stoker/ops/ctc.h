#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

// The negative log-likelihood of labels (batch, length) under log-probabilities (batch, times,
// classes): class 0 is the blank and pads labels at their end. Infinite if there are fewer time
// steps than the labels need.
Tensor ctc_loss(const Tensor& labels, const Tensor& log_probabilities);

}  // namespace stoker::ops
