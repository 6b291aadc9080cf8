#include "stoker/losses/categorical_hinge.h"

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(CategoricalHingeArgs& a, V& v) {
  nn::visit_loss(a, v);
}

namespace {

Tensor loss(const CategoricalHingeArgs&, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("categorical_hinge", y_true, y_pred);
  const Tensor right = ops::sum(target * output, {.axis = {-1}});
  const Tensor wrong = ops::max((1.0 - target) * output, {.axis = {-1}});
  return ops::maximum(wrong - right + 1.0, 0.0);
}

const nn::RegisterLoss<CategoricalHingeArgs> registered{"CategoricalHinge", CategoricalHinge};

}  // namespace

LossRef CategoricalHinge(const CategoricalHingeArgs& args) {
  return nn::make_loss("CategoricalHinge", args, loss);
}

}  // namespace stoker::losses
