#include "stoker/losses/sparse_categorical_crossentropy.h"

#include <fmt/format.h>

#include "graph/emit.h"
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
  v("ignore_class", a.ignore_class);
  v("axis", a.axis);
}

namespace {

class SparseLoss : public nn::LossOf<SparseCategoricalCrossentropyArgs> {
 public:
  using LossOf::LossOf;

  int64_t label_classes(const TensorType& y_pred) const override {
    const bool any_label = args_.ignore_class || y_pred.shape.rank() == 0;
    return any_label ? 0 : y_pred.shape.back();
  }

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    check_axis(y_pred.shape());
    const Tensor labels = nn::labels_for(name(), y_true, y_pred.shape());
    if (!args_.ignore_class) return of_labels(labels, y_pred);
    const Tensor counts = mask(y_true, y_pred);
    const Tensor values =
        of_labels(ops::where(counts, labels, graph::scalar_like(labels, 0)), y_pred);
    return ops::where(counts, values, graph::scalar_like(values, 0));
  }

  Tensor mask(const Tensor& y_true, const Tensor& y_pred) const override {
    if (!args_.ignore_class) return {};
    const Tensor labels = ops::cast(nn::labels_for(name(), y_true, y_pred.shape()), DType::int64);
    const auto ignored = static_cast<double>(*args_.ignore_class);
    return ops::not_equal(labels, graph::scalar_like(labels, ignored));
  }

 private:
  Tensor of_labels(const Tensor& labels, const Tensor& y_pred) const {
    const Tensor logits = nn::logits_of(y_pred, args_.from_logits, "softmax");
    return ops::sparse_softmax_cross_entropy(
        labels, logits.defined() ? logits : ops::log(nn::clip_probabilities(y_pred)));
  }

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
