#include "nn/metrics/confusion/confusion.h"

#include <fmt/format.h>

#include <cmath>

#include "graph/emit.h"
#include "nn/losses/values.h"
#include "nn/metrics/accuracy/top_k.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::nn {
namespace {

constexpr double no_output = -1e10;  // for outputs that are not among the top k

Tensor column(const std::vector<double>& values, int rank, DType dtype) {
  Array array(DType::float64, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, array.mutable_data<double>().begin());
  std::vector<int64_t> dims(static_cast<size_t>(rank), 1);
  dims[0] = array.size();
  return Tensor(array.astype(dtype).reshape(Shape(dims)));
}

bool are_even(const std::vector<double>& thresholds) {
  const size_t n = thresholds.size();
  for (size_t i = 0; i < n; ++i) {
    const double even = static_cast<double>(i) / static_cast<double>(n - 1);
    if (std::abs(thresholds[i] - even) > 1e-7 + 1e-5 * even) return false;
  }
  return n >= 3;
}

// For evenly spaced thresholds Keras computes a bucket index instead of comparing: the two differ
// if rounding makes an output equal to a threshold.
Tensor above(const Tensor& outputs, const std::vector<double>& thresholds) {
  const int rank = outputs.shape().rank();
  const DType dtype = outputs.dtype();
  if (!are_even(thresholds)) return ops::greater(outputs, column(thresholds, rank, dtype));
  const auto last = static_cast<double>(thresholds.size() - 1);
  Tensor steps = -ops::floor(-(ops::clip(outputs, 0, 1) * last)) - 1.0;
  if (thresholds.front() < 0 || thresholds.back() > 1) steps = ops::maximum(steps, 0.0);
  std::vector<double> numbers;
  for (size_t i = 0; i < thresholds.size(); ++i) numbers.push_back(static_cast<double>(i));
  return ops::greater_equal(steps, column(numbers, rank, dtype));
}

Tensor take_class(const std::string& metric, const Tensor& x, int64_t id) {
  const int rank = x.shape().rank();
  if (rank < 2 || id < 0 || id >= x.shape().back())
    throw InvalidArgument(fmt::format("[{}] there is no class_id {} in outputs {}.", metric, id,
                                      to_string(x.shape())));
  std::vector<int64_t> start(static_cast<size_t>(rank), 0), size = x.shape().dims();
  start.back() = id;
  size.back() = 1;
  return ops::slice(x, start, size);
}

// One weight for each output.
Tensor weights_for(const std::string& metric, const Tensor& weight, const Tensor& targets,
                   const Shape& outputs) {
  Tensor w = ops::expand_dims(ops::cast(weight, targets.dtype()), -1);
  if (w.shape().rank() == targets.shape().rank() + 1) w = ops::squeeze(w, -1);
  try {
    return ops::broadcast_to(w, outputs);
  } catch (Error&) {
    throw InvalidArgument(fmt::format("[{}] sample weights {} do not fit outputs {}.", metric,
                                      to_string(weight.shape()), to_string(outputs)));
  }
}

}  // namespace

Confusion::Confusion(const std::string& metric, const ConfusionArgs& args, const Tensor& y_true,
                     const Tensor& y_pred, const Tensor& sample_weight, DType dtype) {
  auto [targets, outputs] = match(metric, ops::cast(y_true, dtype), ops::cast(y_pred, dtype));
  const Tensor all_targets = targets;
  if (args.top_k) {
    const Tensor top = ops::cast(is_in_top_k(outputs, *args.top_k), dtype);
    outputs = outputs * top + no_output * (1.0 - top);
  }
  if (args.class_id) {
    targets = take_class(metric, targets, *args.class_id);
    outputs = take_class(metric, outputs, *args.class_id);
  }
  const Shape shape = outputs.shape();
  Tensor weight =
      sample_weight.defined() ? weights_for(metric, sample_weight, all_targets, shape) : Tensor();
  if (!args.label_weights.empty() && !args.multi_label) {
    const auto n = static_cast<int64_t>(args.label_weights.size());
    const Tensor labels =
        ops::broadcast_to(ops::reshape(column(args.label_weights, 1, dtype), {n}), shape);
    weight = weight.defined() ? weight * labels : labels;
  }
  const Tensor is_true = ops::cast(ops::not_equal(targets, graph::scalar_like(targets, 0)), dtype);
  const Tensor is_false = 1.0 - is_true;
  // (1, samples) or (1, samples, labels), to broadcast against the thresholds.
  const Shape row = args.multi_label ? shape.with_front(1) : Shape{1, shape.size()};
  const auto as_row = [&](const Tensor& x) {
    return ops::reshape(weight.defined() ? x * weight : x, row);
  };
  const Tensor marked = above(ops::reshape(outputs, row), args.thresholds);
  const auto count = [&](const Tensor& which) {
    return ops::sum(ops::where(marked, which, graph::scalar_like(which, 0)), {.axis = {1}});
  };
  true_positives_ = count(as_row(is_true));
  false_positives_ = count(as_row(is_false));
  positives_ = ops::sum(as_row(is_true), {.axis = {1}});
  negatives_ = ops::sum(as_row(is_false), {.axis = {1}});
}

Tensor Confusion::operator[](Count count) const {
  switch (count) {
    case Count::true_positives:
      return true_positives_;
    case Count::false_positives:
      return false_positives_;
    case Count::true_negatives:
      return negatives_ - false_positives_;
    default:
      return positives_ - true_positives_;
  }
}

std::vector<double> even_thresholds(int64_t n) {
  if (n == 1) return {0.5};
  std::vector<double> thresholds;
  for (int64_t i = 0; i < n; ++i)
    thresholds.push_back(static_cast<double>(i) / static_cast<double>(n - 1));
  return thresholds;
}

std::vector<double> checked_thresholds(const std::string& name, const std::vector<double>& given,
                                       double by_default) {
  for (double t : given)
    if (!(t >= 0 && t <= 1))
      throw InvalidArgument(fmt::format("[{}] has a threshold of {}.", name, t),
                            "thresholds must be in [0, 1].");
  return given.empty() ? std::vector{by_default} : given;
}

}  // namespace stoker::nn
