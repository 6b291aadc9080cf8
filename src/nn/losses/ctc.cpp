#include "stoker/losses/ctc.h"

#include <fmt/format.h>

#include "nn/losses/loss_of.h"
#include "stoker/ops/ctc.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/softmax.h"

namespace stoker::losses {

template <class V>
void visit(CTCArgs& a, V& v) {
  nn::visit_loss(a, v);
}

namespace {

Tensor loss(const CTCArgs& args, const Tensor& y_true, const Tensor& y_pred) {
  if (y_true.shape().rank() != 2 || y_pred.shape().rank() != 3)
    throw InvalidArgument(
        fmt::format("[{}] needs labels (batch, length) and logits (batch, times, "
                    "classes), got {} and {}.",
                    args.name, to_string(y_true.shape()), to_string(y_pred.shape())));
  return ops::ctc_loss(ops::cast(y_true, DType::int32), ops::log_softmax(y_pred));
}

const nn::RegisterLoss<CTCArgs> registered{"CTC", CTC};

}  // namespace

LossRef CTC(const CTCArgs& args) { return nn::make_loss("CTC", args, loss); }

}  // namespace stoker::losses
