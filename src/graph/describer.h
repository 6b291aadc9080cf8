#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "graph/attrs.h"
#include "stoker/tensor.h"

namespace stoker::graph {

// Takes ops on tensors that only describe a model, which have no value to compute with; nothing if
// there is no such tensor among the inputs.
using Describer = std::optional<std::vector<Tensor>> (*)(std::string_view op,
                                                         const std::vector<Tensor>& inputs,
                                                         const Attrs& attrs);
void set_describer(Describer describer);  // nn does this once

}  // namespace stoker::graph
