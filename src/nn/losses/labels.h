#pragma once
#include <string>

#include "stoker/tensor.h"

namespace stoker::nn {

// Integer labels, one for each row of outputs (…, classes): floats are cast, a last axis of size 1
// is dropped. Throws InvalidArgument if the numbers of rows differ.
Tensor labels_for(const std::string& name, const Tensor& y_true, const Shape& output);

}  // namespace stoker::nn
