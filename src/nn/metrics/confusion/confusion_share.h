#pragma once
#include "nn/losses/values.h"
#include "nn/metrics/confusion/confusion.h"

namespace stoker::nn {

// true positives / (true positives + another count): precision or recall.
template <class Args>
class ConfusionShare : public ConfusionMetric<Args> {
 public:
  ConfusionShare(const std::string& class_name, const Args& args, Count other,
                 const std::string& other_name)
      : ConfusionMetric<Args>(
            class_name, args,
            {.thresholds = checked_thresholds(args.name, args.thresholds, args.top_k ? -1e10 : 0.5),
             .top_k = args.top_k,
             .class_id = args.class_id},
            {{Count::true_positives, "true_positives"}, {other, other_name}}),
        other_(other) {}
  Tensor result() const override {
    const Tensor hits = this->sum_of(Count::true_positives);
    return this->by_threshold(divide_no_nan(hits, hits + this->sum_of(other_)));
  }

 private:
  Count other_;
};

}  // namespace stoker::nn
