#include "nn/metrics/samplewise.h"

#include <fmt/format.h>

#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {
namespace {

Tensor reduce_from(const Tensor& x, int first_axis, Within within) {
  if (x.shape().rank() <= first_axis) return x;
  ops::ReduceArgs args;
  for (int axis = first_axis; axis < x.shape().rank(); ++axis) args.axis.push_back(axis);
  return within == Within::mean ? ops::mean(x, args) : ops::sum(x, args);
}

}  // namespace

Samplewise samplewise(const Tensor& raw, const Tensor& sample_weight, Within within, DType dtype) {
  const Tensor floats = ops::cast(raw, dtype);
  if (!sample_weight.defined()) return {reduce_from(floats, 1, within), {}};
  auto [values, weight] = to_same_rank(floats, ops::cast(sample_weight, dtype));
  values = reduce_from(values, weight.shape().rank(), within);
  if (weight.shape() != values.shape()) weight = ops::broadcast_to(weight, values.shape());
  return {reduce_from(values * weight, 1, within), reduce_from(weight, 1, within)};
}

void expect_values_only(const std::string& name, const Tensor& y_pred) {
  if (y_pred.defined())
    throw InvalidArgument(fmt::format("[{}] takes values, not targets and outputs.", name),
                          "call update_state(values, {}, sample_weight).");
}

}  // namespace stoker::nn
