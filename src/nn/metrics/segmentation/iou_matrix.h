#pragma once
#include <optional>

#include "nn/metrics/mean_metric.h"

namespace stoker::nn {

struct IoUArgs {
  int64_t num_classes = 0;
  std::vector<int64_t> target_class_ids;
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_true = true, sparse_y_pred = true;  // class indices instead of one value per class
  int64_t axis = -1;
  std::optional<double> threshold = {};  // class 1 if the output is at least this, else class 0
};

void check(const std::string& name, const IoUArgs& args);
// The confusion matrix (classes, classes): rows are targets, columns are predictions.
Tensor confusion_matrix(const std::string& name, const IoUArgs& args, const Tensor& y_true,
                        const Tensor& y_pred, const Tensor& sample_weight, DType dtype);
// Intersection over union: its mean over those of the target classes that occur.
Tensor mean_iou(const IoUArgs& args, const Tensor& matrix);

template <class Args>
class IoUMetric : public MetricOf<Args> {
 public:
  IoUMetric(const std::string& class_name, const Args& args, const IoUArgs& iou)
      : MetricOf<Args>(class_name, args), iou_(iou) {
    check(args.name, iou);
    matrix_ = this->add_variable("total_confusion_matrix", {iou.num_classes, iou.num_classes});
  }
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override {
    matrix_.assign(matrix_ + confusion_matrix(this->name(), iou_, y_true, y_pred, sample_weight,
                                              this->dtype()));
  }
  Tensor result() const override { return mean_iou(iou_, matrix_); }

 private:
  IoUArgs iou_;
  Variable matrix_;
};

inline std::vector<int64_t> all_classes(int64_t n) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < n; ++i) ids.push_back(i);
  return ids;
}

}  // namespace stoker::nn
