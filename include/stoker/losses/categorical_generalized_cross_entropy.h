#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct CategoricalGeneralizedCrossEntropyArgs {
  double q = 0.5;  // between 0 (crossentropy) and 1 (mean absolute error)
  std::string reduction = "sum_over_batch_size", name = "categorical_generalized_cross_entropy";
  DTypePolicy dtype = {};
};
// For noisy integer labels and probabilities.
LossRef CategoricalGeneralizedCrossEntropy(const CategoricalGeneralizedCrossEntropyArgs& args = {});

}  // namespace stoker::losses
