#include "stoker/metrics/r2_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "graph/emit.h"
#include "nn/losses/values.h"
#include "nn/metrics/mean_metric.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/suggest.h"

namespace stoker::metrics {

template <class V>
void visit(R2ScoreArgs& a, V& v) {
  nn::visit_metric(a, v);
  v.or_none("class_aggregation", a.class_aggregation);
  v("num_regressors", a.num_regressors);
}

namespace {

class ExplainedVariance : public nn::MetricOf<R2ScoreArgs> {
 public:
  explicit ExplainedVariance(const R2ScoreArgs& args)
      : MetricOf("R2Score", args), values_(add_variable("num_samples")) {}

  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override {
    const auto [target, output] =
        nn::match(name(), ops::cast(y_true, dtype()), ops::cast(y_pred, dtype()));
    if (target.shape().rank() != 2)
      throw InvalidArgument(fmt::format("[{}] needs targets and outputs (batch, outputs), got {}.",
                                        name(), to_string(y_true.shape())));
    if (!sum_.defined()) build(target.shape()[1]);
    const Tensor weight = weights(sample_weight, target.shape());
    const auto add = [](const Variable& total, const Tensor& values) {
      total.assign(total + ops::sum(values, {.axis = {0}}));
    };
    add(sum_, target * weight);
    add(squares_, target * target * weight);
    add(residual_, ops::square(target - output) * weight);
    add(count_, weight);
    values_.assign(values_.read() + static_cast<double>(target.shape().size()));
  }

  Tensor result() const override {
    if (!sum_.defined()) return Tensor(Array(dtype(), {}));
    const Tensor total = squares_ - sum_ * (sum_ / count_);
    const Tensor ratio = residual_ / total;
    const Tensor infinite = ops::equal(ops::abs(ratio), std::numeric_limits<double>::infinity());
    const Tensor scores = ops::where(infinite, graph::scalar_like(ratio, 0), 1.0 - ratio);
    return adjusted(args_.class_aggregation.empty() ? scores
                    : args_.class_aggregation == "uniform_average"
                        ? ops::mean(scores)
                        : ops::sum(total * scores) / ops::sum(total));
  }

 private:
  void build(int64_t outputs) {
    squares_ = add_variable("squared_sum", {outputs});
    sum_ = add_variable("sum", {outputs});
    residual_ = add_variable("residual", {outputs});
    count_ = add_variable("count", {outputs});
  }
  Tensor weights(const Tensor& given, const Shape& shape) const {
    if (!given.defined()) return ops::fill(shape, 1, dtype());
    const Tensor w = ops::cast(given, dtype());
    return ops::broadcast_to(w.shape().rank() == 1 ? ops::expand_dims(w, 1) : w, shape);
  }
  // With more regressors than samples the score is not adjusted.
  Tensor adjusted(const Tensor& score) const {
    if (args_.num_regressors == 0) return score;
    const auto inputs = static_cast<double>(args_.num_regressors);
    const Tensor n = values_, free = n - inputs - 1.0, enough = ops::greater(free, 0.0);
    const Tensor divisor = ops::where(enough, free, graph::scalar_like(free, 1));
    return ops::where(enough, 1.0 - (1.0 - score) * (n - 1.0) / divisor, score);
  }

  Variable values_, squares_, sum_, residual_, count_;
};

const nn::RegisterMetric<R2ScoreArgs> registered{"R2Score", R2Score};

}  // namespace

std::shared_ptr<Metric> R2Score(const R2ScoreArgs& args) {
  const std::vector<std::string> known = {"", "uniform_average", "variance_weighted_average"};
  if (std::ranges::find(known, args.class_aggregation) == known.end())
    throw InvalidArgument(
        fmt::format("[{}] unknown class_aggregation \"{}\".", args.name, args.class_aggregation),
        did_you_mean(args.class_aggregation, known));
  if (args.num_regressors < 0)
    throw InvalidArgument(fmt::format("[{}] num_regressors is {}.", args.name, args.num_regressors),
                          "it must be 0 or more.");
  return std::make_shared<ExplainedVariance>(args);
}

}  // namespace stoker::metrics
