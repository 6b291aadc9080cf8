#pragma once
#include "stoker/tensor.h"

namespace stoker::nn {

// Labels that are all 0 or 1 become -1 and 1, as Keras has it; others stay.
Tensor hinge_labels(const Tensor& target);

}  // namespace stoker::nn
