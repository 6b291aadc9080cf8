#include "stoker/losses/binary_focal_crossentropy.h"

#include "nn/losses/binary_values.h"
#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(BinaryFocalCrossentropyArgs& a, V& v) {
  nn::visit_loss(a, v);
  v("from_logits", a.from_logits);
  v("label_smoothing", a.label_smoothing);
  v("axis", a.axis);
  v("apply_class_balancing", a.apply_class_balancing);
  v("alpha", a.alpha);
  v("gamma", a.gamma);
}

namespace {

Tensor loss(const BinaryFocalCrossentropyArgs& args, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("binary_focal_crossentropy", y_true, y_pred);
  const Tensor y = nn::smooth_binary(target, args.label_smoothing);
  const Tensor p = args.from_logits ? ops::sigmoid(output) : output;
  const Tensor right = y * p + (1.0 - y) * (1.0 - p);
  const Tensor values =
      ops::power(1.0 - right, args.gamma) * nn::binary_crossentropy(y, output, args.from_logits);
  if (!args.apply_class_balancing) return ops::mean(values, {.axis = {args.axis}});
  const Tensor weight = y * args.alpha + (1.0 - y) * (1 - args.alpha);
  return ops::mean(weight * values, {.axis = {args.axis}});
}

const nn::RegisterLoss<BinaryFocalCrossentropyArgs> registered{"BinaryFocalCrossentropy",
                                                               BinaryFocalCrossentropy};

}  // namespace

LossRef BinaryFocalCrossentropy(const BinaryFocalCrossentropyArgs& args) {
  return nn::make_loss("BinaryFocalCrossentropy", args, loss);
}

}  // namespace stoker::losses
