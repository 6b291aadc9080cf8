#include "stoker/losses/categorical_crossentropy.h"

#include <numeric>

#include "nn/losses/logits.h"
#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/softmax.h"

namespace stoker::losses {

template <class V>
void visit(CategoricalCrossentropyArgs& a, V& v) {
  v("name", a.name);
  v("reduction", a.reduction);
  v("from_logits", a.from_logits);
  v("label_smoothing", a.label_smoothing);
  v("axis", a.axis);
}

namespace {

Tensor move_axis_last(const Tensor& x, int64_t axis) {
  const int rank = x.shape().rank(), from = normalize_axis(axis, rank);
  if (from == rank - 1) return x;
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + from, order.begin() + from + 1, order.end());
  return ops::transpose(x, order);
}

class CategoricalLoss : public nn::LossOf<CategoricalCrossentropyArgs> {
 public:
  using LossOf::LossOf;

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const auto [raw, output] = nn::match(name(), y_true, y_pred);
    const Tensor target = move_axis_last(smoothed(raw), args_.axis);
    const Tensor logits = nn::logits_of(output, args_.from_logits, "softmax");
    if (logits.defined())
      return ops::softmax_cross_entropy(target, move_axis_last(logits, args_.axis));
    const Tensor p = move_axis_last(output, args_.axis);
    const Tensor normal = p / ops::sum(p, {.axis = {-1}, .keepdims = true});
    return -ops::sum(target * ops::log(nn::clip_probabilities(normal)), {.axis = {-1}});
  }

 private:
  Tensor smoothed(const Tensor& target) const {
    const double s = args_.label_smoothing;
    return s == 0 ? target : target * (1 - s) + s / static_cast<double>(target.shape().back());
  }
};

const nn::RegisterLoss<CategoricalCrossentropyArgs> registered{"CategoricalCrossentropy",
                                                               CategoricalCrossentropy};

}  // namespace

LossRef CategoricalCrossentropy(const CategoricalCrossentropyArgs& args) {
  return LossRef(std::make_shared<CategoricalLoss>("CategoricalCrossentropy", args));
}

}  // namespace stoker::losses
