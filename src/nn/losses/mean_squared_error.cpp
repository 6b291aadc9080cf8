#include "stoker/losses/mean_squared_error.h"

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(MeanSquaredErrorArgs& a, V& v) {
  v("name", a.name);
  v("reduction", a.reduction);
}

namespace {

class SquaredLoss : public nn::LossOf<MeanSquaredErrorArgs> {
 public:
  using LossOf::LossOf;
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const auto [target, output] = nn::match(name(), y_true, y_pred);
    return ops::mean(ops::square(target - output), {.axis = {-1}});
  }
};

const nn::RegisterLoss<MeanSquaredErrorArgs> registered{
    "MeanSquaredError", MeanSquaredError, {"mse", "MSE"}};

}  // namespace

LossRef MeanSquaredError(const MeanSquaredErrorArgs& args) {
  return LossRef(std::make_shared<SquaredLoss>("MeanSquaredError", args));
}

}  // namespace stoker::losses
