#include "stoker/losses/sparse_categorical_crossentropy.h"

#include <algorithm>

#include "graph/emit.h"
#include "nn/losses/labels.h"
#include "nn/losses/logits.h"
#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/softmax.h"

namespace stoker::losses {

template <class V>
void visit(SparseCategoricalCrossentropyArgs& a, V& v) {
  nn::visit_loss(a, v);
  v("from_logits", a.from_logits);
  v("ignore_class", a.ignore_class);
  nn::visit_unless_default(v, "axis", a.axis, SparseCategoricalCrossentropyArgs().axis);
}

namespace {

class SparseLoss : public nn::LossOf<SparseCategoricalCrossentropyArgs> {
 public:
  using LossOf::LossOf;

  int64_t label_classes(const TensorType& y_pred) const override {
    const bool any_label = args_.ignore_class || y_pred.shape.rank() == 0;
    return any_label ? 0 : y_pred.shape[normalize_axis(args_.axis, y_pred.shape.rank())];
  }

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const Tensor labels = labels_of(y_true, y_pred);
    if (!args_.ignore_class) return of_labels(labels, y_pred);
    const Tensor counts = mask(y_true, y_pred);
    const Tensor values =
        of_labels(ops::where(counts, labels, graph::scalar_like(labels, 0)), y_pred);
    const Tensor counted = ops::where(counts, values, graph::scalar_like(values, 0));
    counted.set_mask(counts);
    return counted;
  }

  Tensor mask(const Tensor& y_true, const Tensor& y_pred) const override {
    if (!args_.ignore_class) return {};
    const Tensor labels = ops::cast(labels_of(y_true, y_pred), DType::int64);
    const auto ignored = static_cast<double>(*args_.ignore_class);
    return ops::not_equal(labels, graph::scalar_like(labels, ignored));
  }

 private:
  Tensor of_labels(const Tensor& labels, const Tensor& y_pred) const {
    const Tensor logits = nn::logits_of(y_pred, args_.from_logits, "softmax");
    return ops::sparse_softmax_cross_entropy(
        labels,
        nn::move_axis_last(logits.defined() ? logits : ops::log(nn::clip_probabilities(y_pred)),
                           args_.axis));
  }

  // One label for each row of outputs; an axis of size 1 instead of the classes is dropped.
  Tensor labels_of(const Tensor& y_true, const Tensor& y_pred) const {
    const int rank = y_pred.shape().rank(), axis = rank > 0 ? normalize_axis(args_.axis, rank) : 0;
    auto dims = y_pred.shape().dims();
    std::rotate(dims.begin() + axis, dims.begin() + axis + (rank > 0), dims.end());
    const bool has_axis = y_true.shape().rank() == rank && rank > 0 && y_true.shape()[axis] == 1;
    return nn::labels_for(name(), has_axis ? ops::squeeze(y_true, axis) : y_true, Shape(dims));
  }
};

const nn::RegisterLoss<SparseCategoricalCrossentropyArgs> registered{
    "SparseCategoricalCrossentropy", SparseCategoricalCrossentropy};

}  // namespace

LossRef SparseCategoricalCrossentropy(const SparseCategoricalCrossentropyArgs& args) {
  return LossRef(std::make_shared<SparseLoss>("SparseCategoricalCrossentropy", args));
}

}  // namespace stoker::losses
