#include "stoker/losses/mean_absolute_percentage_error.h"

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(MeanAbsolutePercentageErrorArgs& a, V& v) {
  nn::visit_loss(a, v);
}

namespace {

Tensor loss(const MeanAbsolutePercentageErrorArgs&, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("mean_absolute_percentage_error", y_true, y_pred);
  const Tensor size = ops::maximum(ops::abs(target), 1e-7);
  return 100.0 * ops::mean(ops::abs((target - output) / size), {.axis = {-1}});
}

const nn::RegisterLoss<MeanAbsolutePercentageErrorArgs> registered{
    "MeanAbsolutePercentageError", MeanAbsolutePercentageError, {"mape", "MAPE"}};

}  // namespace

LossRef MeanAbsolutePercentageError(const MeanAbsolutePercentageErrorArgs& args) {
  return nn::make_loss("MeanAbsolutePercentageError", args, loss);
}

}  // namespace stoker::losses
