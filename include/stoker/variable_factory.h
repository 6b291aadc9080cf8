#pragma once
#include <functional>

#include "stoker/tensor.h"

namespace stoker {

// A variable whose initial value is computed when it is first needed.
Variable make_variable(const TensorType& type, std::string name, bool trainable,
                       std::function<Array()> initial);

}  // namespace stoker
