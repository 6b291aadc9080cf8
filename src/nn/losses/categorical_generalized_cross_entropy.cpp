#include "stoker/losses/categorical_generalized_cross_entropy.h"

#include <fmt/format.h>

#include "nn/losses/labels.h"
#include "nn/losses/loss_of.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(CategoricalGeneralizedCrossEntropyArgs& a, V& v) {
  nn::visit_loss(a, v);
  v("q", a.q);
}

namespace {

Tensor loss(const CategoricalGeneralizedCrossEntropyArgs& args, const Tensor& y_true,
            const Tensor& y_pred) {
  const Tensor labels = nn::labels_for(args.name, y_true, y_pred.shape());
  const Tensor hot = ops::one_hot(labels, y_pred.shape().back(), y_pred.dtype());
  const Tensor p = ops::sum(y_pred * hot, {.axis = {-1}});
  return (1.0 - ops::power(p, args.q)) / args.q;
}

const nn::RegisterLoss<CategoricalGeneralizedCrossEntropyArgs> registered{
    "CategoricalGeneralizedCrossEntropy", CategoricalGeneralizedCrossEntropy};

}  // namespace

LossRef CategoricalGeneralizedCrossEntropy(const CategoricalGeneralizedCrossEntropyArgs& args) {
  if (args.q <= 0 || args.q >= 1)
    throw InvalidArgument(fmt::format("[{}] q is {}.", args.name, args.q),
                          "it must be between 0 and 1.");
  return nn::make_loss("CategoricalGeneralizedCrossEntropy", args, loss);
}

}  // namespace stoker::losses
