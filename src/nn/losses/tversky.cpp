#include "stoker/losses/tversky.h"

#include "nn/config/axes.h"
#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(TverskyArgs& a, V& v) {
  nn::visit_loss(a, v);
  v("alpha", a.alpha);
  v("beta", a.beta);
  nn::visit_axes(v, "axis", a.axis);
}

namespace {

Tensor loss(const TverskyArgs& args, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("tversky", y_true, y_pred);
  const ops::ReduceArgs over{.axis = args.axis};
  const Tensor both = ops::sum(target * output, over);
  const Tensor missed = ops::sum((1.0 - output) * target, over);
  const Tensor invented = ops::sum(output * (1.0 - target), over);
  return 1.0 - both / (both + missed * args.alpha + invented * args.beta + 1e-7);
}

const nn::RegisterLoss<TverskyArgs> registered{"Tversky", Tversky};

}  // namespace

LossRef Tversky(const TverskyArgs& args) { return nn::make_loss("Tversky", args, loss); }

}  // namespace stoker::losses
