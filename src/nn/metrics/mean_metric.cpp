#include "nn/metrics/mean_metric.h"

#include "distribution/slice.h"
#include "graph/emit.h"
#include "nn/losses/values.h"
#include "nn/metrics/samplewise.h"
#include "stoker/ops/all_reduce.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::nn {
namespace {

Tensor masked_weight(const Tensor& mask, const Tensor& sample_weight) {
  if (!mask.defined()) return sample_weight;
  const Tensor counted = ops::cast(mask, DType::float32);
  if (!sample_weight.defined()) return counted;
  const auto [m, w] = to_same_rank(counted, ops::cast(sample_weight, DType::float32));
  return m * w;
}

}  // namespace

MeanMetric::MeanMetric(std::string name, DType dtype)
    : Metric(std::move(name), dtype),
      total_(add_variable("total")),
      count_(add_variable("count")) {}

// Dividing two numbers on the host is faster than running ops.
Tensor MeanMetric::result() const {
  if (graph::is_tracing()) return divide_no_nan(total_, count_);
  const double total = total_.array().at(0), count = count_.array().at(0);
  return Tensor(Array::scalar(count == 0 ? 0 : total / count).astype(dtype()));
}

// A scalar is a mean over the rows of a batch, such as a loss.
void MeanMetric::add(const Tensor& given, const Tensor& sample_weight) {
  const bool is_mean = given.shape().rank() == 0;
  const Tensor values = is_mean ? ops::mean_over_ranks(ops::cast(given, dtype())) : given;
  if (sample_weight.defined()) {
    // Keras's rule: a mask attached to the loss is used if there are sample weights.
    const auto [samples, weight] =
        samplewise(values, masked_weight(given.mask(), sample_weight), Within::mean, dtype());
    total_.assign(total_ + ops::sum(samples));
    count_.assign(count_ + ops::sum(weight));
    return;
  }
  if (is_mean) return add_mean(values);
  // The sum of the per-sample means is computed as one sum over all elements.
  const Shape& shape = values.shape();
  const auto samples = static_cast<double>(shape[0]);
  const Tensor sum = ops::sum(ops::cast(values, dtype()));
  total_.assign(total_ +
                (shape.rank() > 1 ? sum * (samples / static_cast<double>(shape.size())) : sum));
  count_.assign(count_.read() + samples);
}

// Once for a batch, however many ranks divide it.
void MeanMetric::add_mean(const Tensor& mean) {
  const distribution::SliceScope summed({});
  total_.assign(total_ + mean);
  count_.assign(count_.read() + 1.0);
}

MeanOf::MeanOf(std::string class_name, std::string name, DType dtype, Function function,
               Config config)
    : MeanMetric(std::move(name), dtype),
      class_name_(std::move(class_name)),
      function_(std::move(function)),
      config_(std::move(config)) {}

void MeanOf::update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  const graph::PathScope path(name());
  add(function_(y_true, y_pred), masked_weight(y_pred.mask(), sample_weight));
}

Config MeanOf::get_config() const {
  Config config = config_;
  config["name"] = name();
  return config;
}

MeanOf::Function values_of(const LossRef& loss) {
  return [loss](const Tensor& y_true, const Tensor& y_pred) { return loss->call(y_true, y_pred); };
}

}  // namespace stoker::nn
