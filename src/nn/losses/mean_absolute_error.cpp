#include "stoker/losses/mean_absolute_error.h"

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(MeanAbsoluteErrorArgs& a, V& v) {
  v("name", a.name);
  v("reduction", a.reduction);
}

namespace {

class AbsoluteLoss : public nn::LossOf<MeanAbsoluteErrorArgs> {
 public:
  using LossOf::LossOf;
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const auto [target, output] = nn::match(name(), y_true, y_pred);
    return ops::mean(ops::abs(target - output), {.axis = {-1}});
  }
};

const nn::RegisterLoss<MeanAbsoluteErrorArgs> registered{
    "MeanAbsoluteError", MeanAbsoluteError, {"mae", "MAE"}};

}  // namespace

LossRef MeanAbsoluteError(const MeanAbsoluteErrorArgs& args) {
  return LossRef(std::make_shared<AbsoluteLoss>("MeanAbsoluteError", args));
}

}  // namespace stoker::losses
