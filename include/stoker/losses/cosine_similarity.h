#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct CosineSimilarityArgs {
  int64_t axis = -1;
  std::string reduction = "sum_over_batch_size", name = "cosine_similarity";
  DTypePolicy dtype = {};
};
// The negative cosine similarity: -1 for equal directions, 1 for opposite ones.
LossRef CosineSimilarity(const CosineSimilarityArgs& args = {});

}  // namespace stoker::losses
