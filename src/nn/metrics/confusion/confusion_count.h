#pragma once
#include "nn/metrics/confusion/confusion.h"

namespace stoker::nn {

// One of the four counts, as a metric.
template <class Args>
class ConfusionCount : public ConfusionMetric<Args> {
 public:
  ConfusionCount(const std::string& class_name, const Args& args, Count count)
      : ConfusionMetric<Args>(class_name, args,
                              {.thresholds = checked_thresholds(args.name, args.thresholds, 0.5)},
                              {{count, "accumulator"}}),
        count_(count) {}
  Tensor result() const override { return this->by_threshold(this->sum_of(count_)); }

 private:
  Count count_;
};

}  // namespace stoker::nn
