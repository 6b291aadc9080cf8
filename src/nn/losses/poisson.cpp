#include "stoker/losses/poisson.h"

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(PoissonArgs& a, V& v) {
  nn::visit_loss(a, v);
}

namespace {

Tensor loss(const PoissonArgs&, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("poisson", y_true, y_pred);
  return ops::mean(output - target * ops::log(output + 1e-7), {.axis = {-1}});
}

const nn::RegisterLoss<PoissonArgs> registered{"Poisson", Poisson};

}  // namespace

LossRef Poisson(const PoissonArgs& args) { return nn::make_loss("Poisson", args, loss); }

}  // namespace stoker::losses
