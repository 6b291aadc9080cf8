#pragma once
#include <string>

#include "stoker/tensor.h"

namespace stoker::nn {

// Keras's weighting of metrics: values (and weights) are reduced to one per sample by the mean or
// the sum over all axes but the first.
struct Samplewise {
  Tensor values, weight;  // weight is undefined without sample weights
};
enum class Within { mean, sum };
Samplewise samplewise(const Tensor& values, const Tensor& sample_weight, Within within,
                      DType dtype);

// Mean and Sum take values instead of targets, and no outputs.
void expect_values_only(const std::string& name, const Tensor& y_pred);

}  // namespace stoker::nn
