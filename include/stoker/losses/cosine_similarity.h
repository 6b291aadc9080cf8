#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct CosineSimilarityArgs {
  int64_t axis = -1;
  std::string reduction = "sum_over_batch_size", name = "cosine_similarity";
  DTypePolicy dtype = {};
};
// -1 for outputs that point where the targets do, 1 for the opposite.
LossRef CosineSimilarity(const CosineSimilarityArgs& args = {});

}  // namespace stoker::losses
