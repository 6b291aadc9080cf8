#include "stoker/losses/squared_hinge.h"

#include "nn/losses/hinge_labels.h"
#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(SquaredHingeArgs& a, V& v) {
  nn::visit_loss(a, v);
}

namespace {

Tensor loss(const SquaredHingeArgs&, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("squared_hinge", y_true, y_pred);
  return ops::mean(ops::square(ops::maximum(1.0 - nn::hinge_labels(target) * output, 0.0)),
                   {.axis = {-1}});
}

const nn::RegisterLoss<SquaredHingeArgs> registered{"SquaredHinge", SquaredHinge};

}  // namespace

LossRef SquaredHinge(const SquaredHingeArgs& args) {
  return nn::make_loss("SquaredHinge", args, loss);
}

}  // namespace stoker::losses
