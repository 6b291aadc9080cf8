#include "stoker/losses/categorical_crossentropy.h"

#include "nn/losses/logits.h"
#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/softmax.h"

namespace stoker::losses {

template <class V>
void visit(CategoricalCrossentropyArgs& a, V& v) {
  nn::visit_loss(a, v);
  v("from_logits", a.from_logits);
  v("label_smoothing", a.label_smoothing);
  v("axis", a.axis);
}

namespace {

Tensor loss(const CategoricalCrossentropyArgs& args, const Tensor& y_true, const Tensor& y_pred) {
  const auto [raw, output] = nn::match("categorical_crossentropy", y_true, y_pred);
  const Tensor target =
      nn::move_axis_last(nn::smooth_categorical(raw, args.label_smoothing), args.axis);
  const Tensor logits = nn::logits_of(output, args.from_logits, "softmax");
  if (logits.defined())
    return ops::softmax_cross_entropy(target, nn::move_axis_last(logits, args.axis));
  const Tensor p = nn::move_axis_last(output, args.axis);
  const Tensor normal = p / ops::sum(p, {.axis = {-1}, .keepdims = true});
  return -ops::sum(target * ops::log(nn::clip_probabilities(normal)), {.axis = {-1}});
}

const nn::RegisterLoss<CategoricalCrossentropyArgs> registered{"CategoricalCrossentropy",
                                                               CategoricalCrossentropy};

}  // namespace

LossRef CategoricalCrossentropy(const CategoricalCrossentropyArgs& args) {
  return nn::make_loss("CategoricalCrossentropy", args, loss);
}

}  // namespace stoker::losses
