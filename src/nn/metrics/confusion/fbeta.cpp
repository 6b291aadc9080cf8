#include "nn/metrics/confusion/fbeta.h"

#include <fmt/format.h>

#include <algorithm>

#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/suggest.h"

namespace stoker::nn {

FBeta::FBeta(const std::string& name, std::string average, double beta,
             std::optional<double> threshold)
    : average_(std::move(average)), beta_(beta), threshold_(threshold) {
  const std::vector<std::string> known = {"", "micro", "macro", "weighted"};
  if (std::ranges::find(known, average_) == known.end())
    throw InvalidArgument(fmt::format("[{}] unknown average \"{}\".", name, average_),
                          did_you_mean(average_, known));
  if (!(beta > 0))
    throw InvalidArgument(fmt::format("[{}] beta is {}.", name, beta), "it must be positive.");
  if (threshold && !(*threshold > 0 && *threshold <= 1))
    throw InvalidArgument(fmt::format("[{}] threshold is {}.", name, *threshold),
                          "it must be above 0 and at most 1.");
}

std::vector<Tensor> FBeta::counts(const std::string& name, const Tensor& y_true,
                                  const Tensor& y_pred, const Tensor& sample_weight,
                                  DType dtype) const {
  if (y_true.shape().rank() != 2 || y_true.shape() != y_pred.shape())
    throw InvalidArgument(
        fmt::format("[{}] needs targets and outputs (batch, classes), got {} and "
                    "{}.",
                    name, to_string(y_true.shape()), to_string(y_pred.shape())));
  const Tensor target = ops::cast(y_true, dtype), output = ops::cast(y_pred, dtype);
  const Tensor chosen =
      threshold_ ? ops::greater(output, *threshold_)
                 : ops::logical_and(ops::greater_equal(
                                        output, ops::max(output, {.axis = {-1}, .keepdims = true})),
                                    ops::greater(ops::abs(output), 1e-9));
  const Tensor said = ops::cast(chosen, dtype);
  const Tensor weight = sample_weight.defined()
                            ? ops::reshape(ops::cast(sample_weight, dtype), {y_true.shape()[0], 1})
                            : Tensor();
  const auto sum = [&](const Tensor& x) {
    const Tensor weighed = weight.defined() ? x * weight : x;
    return average_ == "micro" ? ops::sum(weighed) : ops::sum(weighed, {.axis = {0}});
  };
  return {sum(said * target), sum(said * (1.0 - target)), sum((1.0 - said) * target), sum(target)};
}

Tensor FBeta::score(const std::vector<Variable>& sums) const {
  const Tensor hits = sums[0], of_class = sums[3];
  const Tensor precision = hits / (hits + sums[1] + 1e-7), recall = hits / (hits + sums[2] + 1e-7);
  const double square = beta_ * beta_;
  const Tensor score = precision * recall / (square * precision + recall + 1e-7) * (1 + square);
  if (average_.empty()) return score;
  if (average_ != "weighted") return ops::mean(score);
  return ops::sum(score * (of_class / (ops::sum(of_class) + 1e-7)));
}

}  // namespace stoker::nn
