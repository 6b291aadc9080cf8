#include "stoker/losses/kl_divergence.h"

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(KLDivergenceArgs& a, V& v) {
  nn::visit_loss(a, v);
}

namespace {

Tensor loss(const KLDivergenceArgs&, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("kl_divergence", y_true, y_pred);
  const Tensor p = ops::clip(target, 1e-7, 1), q = ops::clip(output, 1e-7, 1);
  return ops::sum(p * ops::log(p / q), {.axis = {-1}});
}

const nn::RegisterLoss<KLDivergenceArgs> registered{
    "KLDivergence", KLDivergence, {"kld", "KLD", "kullback_leibler_divergence"}};

}  // namespace

LossRef KLDivergence(const KLDivergenceArgs& args) {
  return nn::make_loss("KLDivergence", args, loss);
}

}  // namespace stoker::losses
