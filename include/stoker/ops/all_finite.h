#pragma once
#include <vector>

#include "stoker/tensor.h"

namespace stoker::ops {

// A bool scalar: no tensor holds a NaN or an infinity.
Tensor all_finite(const std::vector<Tensor>& tensors);

}  // namespace stoker::ops
