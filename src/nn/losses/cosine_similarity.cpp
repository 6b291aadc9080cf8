#include "stoker/losses/cosine_similarity.h"

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(CosineSimilarityArgs& a, V& v) {
  nn::visit_loss(a, v);
  nn::visit_unless_default(v, "axis", a.axis, CosineSimilarityArgs().axis);
}

namespace {

Tensor loss(const CosineSimilarityArgs& args, const Tensor& y_true, const Tensor& y_pred) {
  const auto [target, output] = nn::match("cosine_similarity", y_true, y_pred);
  return -ops::sum(nn::unit_length(target, args.axis) * nn::unit_length(output, args.axis),
                   {.axis = {args.axis}});
}

const nn::RegisterLoss<CosineSimilarityArgs> registered{"CosineSimilarity", CosineSimilarity};

}  // namespace

LossRef CosineSimilarity(const CosineSimilarityArgs& args) {
  return nn::make_loss("CosineSimilarity", args, loss);
}

}  // namespace stoker::losses
