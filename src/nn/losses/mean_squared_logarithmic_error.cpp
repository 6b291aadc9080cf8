#include "stoker/losses/mean_squared_logarithmic_error.h"

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(MeanSquaredLogarithmicErrorArgs& a, V& v) {
  nn::visit_loss(a, v);
}

namespace {

Tensor loss(const MeanSquaredLogarithmicErrorArgs&, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("mean_squared_logarithmic_error", y_true, y_pred);
  const auto log_of = [](const Tensor& x) { return ops::log(ops::maximum(x, 1e-7) + 1.0); };
  return ops::mean(ops::square(log_of(output) - log_of(target)), {.axis = {-1}});
}

const nn::RegisterLoss<MeanSquaredLogarithmicErrorArgs> registered{
    "MeanSquaredLogarithmicError", MeanSquaredLogarithmicError, {"msle", "MSLE"}};

}  // namespace

LossRef MeanSquaredLogarithmicError(const MeanSquaredLogarithmicErrorArgs& args) {
  return nn::make_loss("MeanSquaredLogarithmicError", args, loss);
}

}  // namespace stoker::losses
