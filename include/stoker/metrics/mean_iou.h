#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct MeanIoUArgs {
  int64_t num_classes = 0;
  std::optional<int64_t> ignore_class = {};         // positions with this target are ignored
  bool sparse_y_true = true, sparse_y_pred = true;  // class indices instead of one value per class
  int64_t axis = -1;                                // of the classes
  std::string name = "mean_io_u";
  DType dtype = DType::int32;
};
// IoU averaged over all classes.
std::shared_ptr<Metric> MeanIoU(const MeanIoUArgs& args);

}  // namespace stoker::metrics
