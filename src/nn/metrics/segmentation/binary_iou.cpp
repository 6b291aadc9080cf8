#include "stoker/metrics/binary_iou.h"

#include "nn/metrics/segmentation/iou_matrix.h"

namespace stoker::metrics {

template <class V>
void visit(BinaryIoUArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("target_class_ids", a.target_class_ids);
  v("threshold", a.threshold);
}

static const nn::RegisterMetric<BinaryIoUArgs> registered{"BinaryIoU", BinaryIoU};

std::shared_ptr<Metric> BinaryIoU(const BinaryIoUArgs& args) {
  return std::make_shared<nn::IoUMetric<BinaryIoUArgs>>(
      "BinaryIoU", args,
      nn::IoUArgs{.num_classes = 2,
                  .target_class_ids = args.target_class_ids,
                  .threshold = args.threshold});
}

}  // namespace stoker::metrics
