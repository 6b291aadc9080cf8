#include "stoker/losses/mean_squared_error.h"

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(MeanSquaredErrorArgs& a, V& v) {
  nn::visit_loss(a, v);
}

namespace {

Tensor loss(const MeanSquaredErrorArgs&, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("mean_squared_error", y_true, y_pred);
  return ops::mean(ops::square(target - output), {.axis = {-1}});
}

const nn::RegisterLoss<MeanSquaredErrorArgs> registered{
    "MeanSquaredError", MeanSquaredError, {"mse", "MSE"}};

}  // namespace

LossRef MeanSquaredError(const MeanSquaredErrorArgs& args) {
  return nn::make_loss("MeanSquaredError", args, loss);
}

}  // namespace stoker::losses
