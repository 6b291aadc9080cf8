#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "graph/attrs.h"
#include "stoker/tensor.h"

namespace stoker::graph {

// Handles ops on symbolic tensors, which describe a model and have no value. Returns nothing if
// none of the inputs is symbolic.
using SymbolicOpHandler = std::optional<std::vector<Tensor>> (*)(std::string_view op,
                                                                 const std::vector<Tensor>& inputs,
                                                                 const Attrs& attrs);
void set_symbolic_op_handler(SymbolicOpHandler symbolic_op_handler);  // nn does this once

}  // namespace stoker::graph
