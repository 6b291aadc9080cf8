#pragma once
#include <optional>

#include "stoker/metric.h"
#include "stoker/sizes.h"

namespace stoker::metrics {

struct OneHotIoUArgs {
  int64_t num_classes = 0;
  Integers target_class_ids = {};            // the mean is over these
  std::optional<int64_t> ignore_class = {};  // positions with this target are ignored
  bool sparse_y_pred = false;                // class indices instead of one value per class
  int64_t axis = -1;                         // of the classes
  std::string name = "one_hot_io_u";
  DType dtype = DType::int32;
};
// IoU with one-hot targets.
std::shared_ptr<Metric> OneHotIoU(const OneHotIoUArgs& args);

}  // namespace stoker::metrics
