#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct CircleArgs {
  double gamma = 80, margin = 0.4;
  bool remove_diagonal = true;
  std::string reduction = "sum_over_batch_size", name = "circle";
  DTypePolicy dtype = {};
};
// Metric learning with labels and normalised embeddings: pulls embeddings of one class together and
// pushes others apart.
LossRef Circle(const CircleArgs& args = {});

}  // namespace stoker::losses
