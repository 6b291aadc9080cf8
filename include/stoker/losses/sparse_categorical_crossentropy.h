#pragma once
#include <optional>

#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct SparseCategoricalCrossentropyArgs {
  bool from_logits = false;
  std::optional<int64_t> ignore_class = {};  // positions with this label are ignored
  int64_t axis = -1;
  std::string reduction = "sum_over_batch_size", name = "sparse_categorical_crossentropy";
  DTypePolicy dtype = {};
};
// For integer labels of shape (batch,) or (batch, 1), and outputs (batch, classes).
LossRef SparseCategoricalCrossentropy(const SparseCategoricalCrossentropyArgs& args = {});

}  // namespace stoker::losses
