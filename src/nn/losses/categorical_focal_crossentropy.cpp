#include "stoker/losses/categorical_focal_crossentropy.h"

#include "nn/losses/logits.h"
#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/softmax.h"

namespace stoker::losses {

template <class V>
void visit(CategoricalFocalCrossentropyArgs& a, V& v) {
  nn::visit_loss(a, v);
  v("from_logits", a.from_logits);
  v("label_smoothing", a.label_smoothing);
  v("axis", a.axis);
  v("alpha", a.alpha);
  v("gamma", a.gamma);
}

namespace {

Tensor loss(const CategoricalFocalCrossentropyArgs& args, const Tensor& y_true,
            const Tensor& y_pred) {
  const auto [target, output] = nn::match("categorical_focal_crossentropy", y_true, y_pred);
  const Tensor y = nn::smooth_categorical(target, args.label_smoothing);
  const Tensor raw = args.from_logits ? ops::softmax(output, args.axis) : output;
  const ops::ReduceArgs over{.axis = {args.axis}, .keepdims = true};
  const Tensor p = nn::clip_probabilities(raw / ops::sum(raw, over));
  const Tensor weight = args.alpha * ops::power(1.0 - p, args.gamma);
  return ops::sum(weight * -y * ops::log(p), {.axis = {args.axis}});
}

const nn::RegisterLoss<CategoricalFocalCrossentropyArgs> registered{"CategoricalFocalCrossentropy",
                                                                    CategoricalFocalCrossentropy};

}  // namespace

LossRef CategoricalFocalCrossentropy(const CategoricalFocalCrossentropyArgs& args) {
  return nn::make_loss("CategoricalFocalCrossentropy", args, loss);
}

}  // namespace stoker::losses
