#pragma once
#include <functional>

#include "stoker/tensor.h"

namespace stoker {

// A variable's purpose, for the device's memory account.
enum class VariableUse { parameter, optimizer, other };

// A variable whose initial value is computed on first use.
Variable make_variable(const TensorType& type, std::string name, bool trainable,
                       std::function<Array()> initial, VariableUse use = VariableUse::other);

}  // namespace stoker
