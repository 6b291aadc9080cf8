#include "stoker/losses/log_cosh.h"

#include <cmath>

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/activations.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(LogCoshArgs& a, V& v) {
  nn::visit_loss(a, v);
}

namespace {

Tensor loss(const LogCoshArgs&, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("log_cosh", y_true, y_pred);
  const Tensor error = output - target;
  return ops::mean(error + activations::softplus(error * -2.0) - std::log(2.0), {.axis = {-1}});
}

const nn::RegisterLoss<LogCoshArgs> registered{"LogCosh", LogCosh, {"logcosh"}};

}  // namespace

LossRef LogCosh(const LogCoshArgs& args) { return nn::make_loss("LogCosh", args, loss); }

}  // namespace stoker::losses
