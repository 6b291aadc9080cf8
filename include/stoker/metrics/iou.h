#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct IoUArgs {
  int64_t num_classes = 0;
  std::vector<int64_t> target_class_ids = {};       // whose mean is taken
  std::optional<int64_t> ignore_class = {};         // positions with this target do not count
  bool sparse_y_true = true, sparse_y_pred = true;  // class numbers, not one value per class
  int64_t axis = -1;                                // of the classes
  std::string name = "io_u";
  DType dtype = DType::int32;
};
// Where targets and outputs say a class, over where either says it.
std::shared_ptr<Metric> IoU(const IoUArgs& args);

}  // namespace stoker::metrics
