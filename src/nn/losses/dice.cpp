#include "stoker/losses/dice.h"

#include "nn/config/axes.h"
#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(DiceArgs& a, V& v) {
  nn::visit_loss(a, v);
  nn::visit_axes(v, "axis", a.axis);
}

namespace {

Tensor loss(const DiceArgs& args, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("dice", y_true, y_pred);
  const ops::ReduceArgs over{.axis = args.axis};
  const Tensor both = ops::sum(target * output, over);
  return 1.0 - 2.0 * both / (ops::sum(target, over) + ops::sum(output, over) + 1e-7);
}

const nn::RegisterLoss<DiceArgs> registered{"Dice", Dice};

}  // namespace

LossRef Dice(const DiceArgs& args) { return nn::make_loss("Dice", args, loss); }

}  // namespace stoker::losses
