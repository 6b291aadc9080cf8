#include "stoker/losses/hinge.h"

#include "nn/losses/hinge_labels.h"
#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(HingeArgs& a, V& v) {
  nn::visit_loss(a, v);
}

namespace {

Tensor loss(const HingeArgs&, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("hinge", y_true, y_pred);
  return ops::mean(ops::maximum(1.0 - nn::hinge_labels(target) * output, 0.0), {.axis = {-1}});
}

const nn::RegisterLoss<HingeArgs> registered{"Hinge", Hinge};

}  // namespace

LossRef Hinge(const HingeArgs& args) { return nn::make_loss("Hinge", args, loss); }

}  // namespace stoker::losses
