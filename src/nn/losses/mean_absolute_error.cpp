#include "stoker/losses/mean_absolute_error.h"

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(MeanAbsoluteErrorArgs& a, V& v) {
  nn::visit_loss(a, v);
}

namespace {

Tensor loss(const MeanAbsoluteErrorArgs&, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("mean_absolute_error", y_true, y_pred);
  return ops::mean(ops::abs(target - output), {.axis = {-1}});
}

const nn::RegisterLoss<MeanAbsoluteErrorArgs> registered{
    "MeanAbsoluteError", MeanAbsoluteError, {"mae", "MAE"}};

}  // namespace

LossRef MeanAbsoluteError(const MeanAbsoluteErrorArgs& args) {
  return nn::make_loss("MeanAbsoluteError", args, loss);
}

}  // namespace stoker::losses
