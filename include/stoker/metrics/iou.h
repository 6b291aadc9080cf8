#pragma once
#include <optional>

#include "stoker/metric.h"
#include "stoker/sizes.h"

namespace stoker::metrics {

struct IoUArgs {
  int64_t num_classes = 0;
  Integers target_class_ids = {};                   // the mean is over these
  std::optional<int64_t> ignore_class = {};         // positions with this target are ignored
  bool sparse_y_true = true, sparse_y_pred = true;  // class indices instead of one value per class
  int64_t axis = -1;                                // of the classes
  std::string name = "io_u";
  DType dtype = DType::int32;
};
// Intersection over union, averaged over target_class_ids: the number of positions where both
// target and output have the class, divided by the number where at least one of them has it.
std::shared_ptr<Metric> IoU(const IoUArgs& args);

}  // namespace stoker::metrics
