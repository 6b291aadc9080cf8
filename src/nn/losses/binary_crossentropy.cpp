#include "stoker/losses/binary_crossentropy.h"

#include "nn/losses/binary_values.h"
#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(BinaryCrossentropyArgs& a, V& v) {
  nn::visit_loss(a, v);
  v("from_logits", a.from_logits);
  v("label_smoothing", a.label_smoothing);
  v("axis", a.axis);
}

namespace {

Tensor loss(const BinaryCrossentropyArgs& args, const Tensor& y_true, const Tensor& y_pred) {
  const auto [raw, output] = nn::match("binary_crossentropy", y_true, y_pred);
  const Tensor target = nn::smooth_binary(raw, args.label_smoothing);
  return ops::mean(nn::binary_crossentropy(target, output, args.from_logits),
                   {.axis = {args.axis}});
}

const nn::RegisterLoss<BinaryCrossentropyArgs> registered{
    "BinaryCrossentropy", BinaryCrossentropy, {"bce", "BCE"}};

}  // namespace

LossRef BinaryCrossentropy(const BinaryCrossentropyArgs& args) {
  return nn::make_loss("BinaryCrossentropy", args, loss);
}

}  // namespace stoker::losses
