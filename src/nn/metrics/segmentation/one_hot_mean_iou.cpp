#include "stoker/metrics/one_hot_mean_iou.h"

#include "nn/metrics/segmentation/iou_matrix.h"

namespace stoker::metrics {

template <class V>
void visit(OneHotMeanIoUArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("num_classes", a.num_classes, nn::required);
  v("ignore_class", a.ignore_class);
  v("sparse_y_pred", a.sparse_y_pred);
  v("axis", a.axis);
}

static const nn::RegisterMetric<OneHotMeanIoUArgs> registered{"OneHotMeanIoU", OneHotMeanIoU};

std::shared_ptr<Metric> OneHotMeanIoU(const OneHotMeanIoUArgs& args) {
  return std::make_shared<nn::IoUMetric<OneHotMeanIoUArgs>>(
      "OneHotMeanIoU", args,
      nn::IoUArgs{.num_classes = args.num_classes,
                  .target_class_ids = nn::all_classes(args.num_classes),
                  .ignore_class = args.ignore_class,
                  .sparse_y_true = false,
                  .sparse_y_pred = args.sparse_y_pred,
                  .axis = args.axis});
}

}  // namespace stoker::metrics
