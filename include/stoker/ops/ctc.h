#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

// -log of the probability that a row of log-probabilities (batch, times, classes) spells its labels
// (batch, length): class 0 is the blank and fills labels up at their end. Infinite where there are
// fewer times than the labels take.
Tensor ctc_loss(const Tensor& labels, const Tensor& log_probabilities);

}  // namespace stoker::ops
