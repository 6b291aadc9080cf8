#pragma once
#include <optional>

#include "stoker/metric.h"
#include "stoker/sizes.h"

namespace stoker::metrics {

struct BinaryIoUArgs {
  Integers target_class_ids = {0, 1};
  double threshold = 0.5;
  std::string name = "binary_io_u";
  DType dtype = DType::int32;
};
// IoU of the two classes below and above a threshold.
std::shared_ptr<Metric> BinaryIoU(const BinaryIoUArgs& args = {});

}  // namespace stoker::metrics
