#pragma once
#include <vector>

#include "stoker/tensor.h"

namespace stoker::ops {

// A bool scalar: are all elements of all tensors finite?
Tensor all_finite(const std::vector<Tensor>& tensors);

}  // namespace stoker::ops
