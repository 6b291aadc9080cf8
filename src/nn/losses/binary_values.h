#pragma once
#include "stoker/tensor.h"

namespace stoker::nn {

// Elementwise binary cross-entropy of targets in [0, 1] and outputs of the same shape and dtype;
// computed from logits if the outputs are logits or a traced sigmoid of them.
Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits);
inline Tensor smooth_binary(const Tensor& target, double s) {
  return s == 0 ? target : target * (1 - s) + 0.5 * s;
}

}  // namespace stoker::nn
