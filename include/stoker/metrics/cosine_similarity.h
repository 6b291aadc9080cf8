#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct CosineSimilarityArgs {
  int64_t axis = -1;
  std::string name = "cosine_similarity";
  DType dtype = DType::float32;
};
// 1 for equal directions, -1 for opposite ones.
std::shared_ptr<Metric> CosineSimilarity(const CosineSimilarityArgs& args = {});

}  // namespace stoker::metrics
