#include "stoker/losses/binary_crossentropy.h"

#include "graph/emit.h"
#include "nn/losses/logits.h"
#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(BinaryCrossentropyArgs& a, V& v) {
  v("name", a.name);
  v("reduction", a.reduction);
  v("from_logits", a.from_logits);
  v("label_smoothing", a.label_smoothing);
  v("axis", a.axis);
}

namespace {

// max(x, 0) - x z + log(1 + exp(-|x|)), written with where: the slopes of max and |x| at 0, where
// outputs often start, would not add up to sigmoid(0).
Tensor on_logits(const Tensor& z, const Tensor& x) {
  const Tensor positive = ops::greater_equal(x, 0.0);
  const Tensor above = ops::where(positive, x, graph::scalar_like(x, 0));
  return above - x * z + ops::log1p(ops::exp(ops::where(positive, -x, x)));
}

Tensor on_probabilities(const Tensor& z, const Tensor& output) {
  const Tensor p = nn::clip_probabilities(output);
  return -(z * ops::log(p) + (1.0 - z) * ops::log(1.0 - p));
}

class BinaryLoss : public nn::LossOf<BinaryCrossentropyArgs> {
 public:
  using LossOf::LossOf;

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const auto [raw, output] = nn::match(name(), y_true, y_pred);
    const double s = args_.label_smoothing;
    const Tensor target = s == 0 ? raw : raw * (1 - s) + 0.5 * s;
    const Tensor logits = nn::logits_of(output, args_.from_logits, "sigmoid");
    return ops::mean(
        logits.defined() ? on_logits(target, logits) : on_probabilities(target, output),
        {.axis = {args_.axis}});
  }
};

const nn::RegisterLoss<BinaryCrossentropyArgs> registered{
    "BinaryCrossentropy", BinaryCrossentropy, {"bce", "BCE"}};

}  // namespace

LossRef BinaryCrossentropy(const BinaryCrossentropyArgs& args) {
  return LossRef(std::make_shared<BinaryLoss>("BinaryCrossentropy", args));
}

}  // namespace stoker::losses
