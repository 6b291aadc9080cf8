#pragma once
#include <string>

#include "stoker/tensor.h"

namespace stoker::nn {

// Encodes indices by Keras's output_mode: "int", "one_hot", "multi_hot" or "count".
Tensor encode_categories(const Tensor& indices, const std::string& output_mode, int64_t depth,
                         DType dtype, const Tensor& count_weights = {});

}  // namespace stoker::nn
