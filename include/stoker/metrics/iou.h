#pragma once
#include <optional>

#include "stoker/metric.h"
#include "stoker/sizes.h"

namespace stoker::metrics {

struct IoUArgs {
  int64_t num_classes = 0;
  Integers target_class_ids = {};                   // whose mean is taken
  std::optional<int64_t> ignore_class = {};         // positions with this target do not count
  bool sparse_y_true = true, sparse_y_pred = true;  // class numbers, not one value per class
  int64_t axis = -1;                                // of the classes
  std::string name = "io_u";
  DType dtype = DType::int32;
};
// Intersection over union: the positions where both target and output have the class, divided by
// those where at least one of them has it. The mean over target_class_ids.
std::shared_ptr<Metric> IoU(const IoUArgs& args);

}  // namespace stoker::metrics
