#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct OneHotMeanIoUArgs {
  int64_t num_classes = 0;
  std::optional<int64_t> ignore_class = {};  // positions with this target are ignored
  bool sparse_y_pred = false;                // class indices instead of one value per class
  int64_t axis = -1;                         // of the classes
  std::string name = "one_hot_mean_io_u";
  DType dtype = DType::int32;
};
// MeanIoU with one-hot targets.
std::shared_ptr<Metric> OneHotMeanIoU(const OneHotMeanIoUArgs& args);

}  // namespace stoker::metrics
