#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct SparseTopKCategoricalAccuracyArgs {
  int64_t k = 5;
  bool from_sorted_ids = false;  // the outputs are class indices, best first
  std::string name = "sparse_top_k_categorical_accuracy";
  DType dtype = DType::float32;
};
// The fraction of samples whose integer label is among the k largest outputs.
std::shared_ptr<Metric> SparseTopKCategoricalAccuracy(
    const SparseTopKCategoricalAccuracyArgs& args = {});

}  // namespace stoker::metrics
