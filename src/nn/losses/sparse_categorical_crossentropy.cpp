#include "stoker/losses/sparse_categorical_crossentropy.h"

#include <fmt/format.h>

#include "nn/losses/labels.h"
#include "nn/losses/logits.h"
#include "nn/losses/loss_of.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/softmax.h"

namespace stoker::losses {

template <class V>
void visit(SparseCategoricalCrossentropyArgs& a, V& v) {
  v("name", a.name);
  v("reduction", a.reduction);
  v("from_logits", a.from_logits);
  v("axis", a.axis);
}

namespace {

class SparseLoss : public nn::LossOf<SparseCategoricalCrossentropyArgs> {
 public:
  using LossOf::LossOf;

  int64_t label_classes(const TensorType& y_pred) const override {
    return y_pred.shape.rank() > 0 ? y_pred.shape.back() : 0;
  }

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    check_axis(y_pred.shape());
    const Tensor labels = nn::labels_for(name(), y_true, y_pred.shape());
    const Tensor logits = nn::logits_of(y_pred, args_.from_logits, "softmax");
    return ops::sparse_softmax_cross_entropy(
        labels, logits.defined() ? logits : ops::log(nn::clip_probabilities(y_pred)));
  }

 private:
  void check_axis(const Shape& output) const {
    if (output.rank() == 0 || normalize_axis(args_.axis, output.rank()) != output.rank() - 1)
      throw InvalidArgument(
          fmt::format("[{}] the classes must be the last axis, got axis {} of {}.", name(),
                      args_.axis, to_string(output)));
  }
};

const nn::RegisterLoss<SparseCategoricalCrossentropyArgs> registered{
    "SparseCategoricalCrossentropy", SparseCategoricalCrossentropy};

}  // namespace

LossRef SparseCategoricalCrossentropy(const SparseCategoricalCrossentropyArgs& args) {
  return LossRef(std::make_shared<SparseLoss>("SparseCategoricalCrossentropy", args));
}

}  // namespace stoker::losses
