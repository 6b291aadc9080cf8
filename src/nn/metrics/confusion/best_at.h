#pragma once
#include <fmt/format.h>

#include "graph/emit.h"
#include "nn/losses/values.h"
#include "nn/metrics/confusion/confusion.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::nn {

enum class Rate { sensitivity, specificity, precision };  // recall is the sensitivity

// The maximum of one rate over the thresholds at which another rate is at least a given value; else
// 0.
template <class Args>
class BestAt : public ConfusionMetric<Args> {
 public:
  BestAt(const std::string& class_name, const Args& args, Rate best, Rate given, double value)
      : ConfusionMetric<Args>(class_name, args,
                              {.thresholds = thresholds_for(args), .class_id = args.class_id},
                              {{Count::true_positives, "true_positives"},
                               {Count::false_positives, "false_positives"},
                               {Count::true_negatives, "true_negatives"},
                               {Count::false_negatives, "false_negatives"}}),
        best_(best),
        given_(given),
        value_(value) {
    if (!(value >= 0 && value <= 1))
      throw InvalidArgument(fmt::format("[{}] cannot be computed at {}.", args.name, value),
                            "the value must be in [0, 1].");
  }

  Tensor result() const override {
    const Tensor best = rate(best_), zero = graph::scalar_like(best, 0);
    return ops::max(ops::where(ops::greater_equal(rate(given_), value_), best, zero));
  }

 private:
  static std::vector<double> thresholds_for(const Args& args) {
    if (args.num_thresholds < 1)
      throw InvalidArgument(
          fmt::format("[{}] num_thresholds is {}.", args.name, args.num_thresholds),
          "it must be 1 or more.");
    return even_thresholds(args.num_thresholds);
  }
  Tensor rate(Rate rate) const {
    const auto share = [&](Count hits, Count others) {
      const Tensor h = this->sum_of(hits);
      return divide_no_nan(h, h + this->sum_of(others));
    };
    if (rate == Rate::specificity) return share(Count::true_negatives, Count::false_positives);
    return share(Count::true_positives,
                 rate == Rate::precision ? Count::false_positives : Count::false_negatives);
  }

  Rate best_, given_;
  double value_;
};

}  // namespace stoker::nn
