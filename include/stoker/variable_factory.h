#pragma once
#include <functional>

#include "stoker/tensor.h"

namespace stoker {

// What a variable is for, for the account of a device's memory.
enum class VariableUse { parameter, optimizer, other };

// A variable whose initial value is computed when it is first needed.
Variable make_variable(const TensorType& type, std::string name, bool trainable,
                       std::function<Array()> initial, VariableUse use = VariableUse::other);

}  // namespace stoker
