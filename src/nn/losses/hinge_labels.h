#pragma once
#include "stoker/tensor.h"

namespace stoker::nn {

// As in Keras, labels that are all 0 or 1 become -1 and 1; others are unchanged.
Tensor hinge_labels(const Tensor& target);

}  // namespace stoker::nn
