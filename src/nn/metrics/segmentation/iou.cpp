#include "stoker/metrics/iou.h"

#include "nn/metrics/segmentation/iou_matrix.h"

namespace stoker::metrics {

template <class V>
void visit(IoUArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("num_classes", a.num_classes, nn::required);
  v("target_class_ids", a.target_class_ids, nn::required);
  v("ignore_class", a.ignore_class);
  v("sparse_y_true", a.sparse_y_true);
  v("sparse_y_pred", a.sparse_y_pred);
  v("axis", a.axis);
}

static const nn::RegisterMetric<IoUArgs> registered{"IoU", IoU};

std::shared_ptr<Metric> IoU(const IoUArgs& args) {
  return std::make_shared<nn::IoUMetric<IoUArgs>>(
      "IoU", args,
      nn::IoUArgs{.num_classes = args.num_classes,
                  .target_class_ids = args.target_class_ids,
                  .ignore_class = args.ignore_class,
                  .sparse_y_true = args.sparse_y_true,
                  .sparse_y_pred = args.sparse_y_pred,
                  .axis = args.axis});
}

}  // namespace stoker::metrics
