#include "stoker/losses/circle.h"

#include "graph/emit.h"
#include "nn/losses/loss_of.h"
#include "stoker/activations.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::losses {

template <class V>
void visit(CircleArgs& a, V& v) {
  nn::visit_loss(a, v);
  v("gamma", a.gamma);
  v("margin", a.margin);
  v("remove_diagonal", a.remove_diagonal);
}

namespace {

constexpr double nothing = -1e9;  // instead of -inf, whose gradient is NaN

// log(sum(exp(values))) over the counted values of a row; `nothing` if there is none.
Tensor log_sum_exp(const Tensor& values, const Tensor& counts) {
  const Tensor low = graph::scalar_like(values, nothing);
  const ops::ReduceArgs row{.axis = {1}, .keepdims = true};
  const Tensor top = ops::stop_gradient(ops::max(ops::where(counts, values, low), row));
  const Tensor shifted = ops::where(counts, values - top, low);
  const Tensor sum = ops::sum(ops::exp(shifted), row);
  const Tensor any = ops::greater(sum, 0.0);
  const Tensor log = ops::log(ops::where(any, sum, graph::scalar_like(sum, 1)));
  return ops::where(any, top + log, low);
}

Tensor same_label(const Tensor& y_true) {
  const int64_t n = y_true.shape().size();
  const Tensor labels = ops::cast(y_true, DType::int32);
  return ops::equal(ops::reshape(labels, {n, 1}), ops::reshape(labels, {1, n}));
}

Tensor off_diagonal(int64_t n) {
  std::vector<int32_t> numbers(static_cast<size_t>(n));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i);
  const Array count = Array::from(numbers, {n});
  return ops::not_equal(Tensor(count.reshape({n, 1})), Tensor(count.reshape({1, n})));
}

class CircleLoss : public nn::LossOf<CircleArgs> {
 public:
  using LossOf::LossOf;

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const double margin = args_.margin;
    const Tensor product = ops::matmul(y_pred, y_pred, {.transpose_b = true});
    const Tensor distance = ops::maximum(1.0 - product, 0.0);
    const Tensor same = same_label(y_true), other = ops::logical_not(same);
    const Tensor positive =
        args_.remove_diagonal ? ops::logical_and(same, off_diagonal(same.shape()[0])) : same;
    const Tensor pull = ops::maximum(margin + distance, 0.0) * (margin - distance) * -args_.gamma;
    const Tensor push =
        ops::maximum(1 + margin - distance, 0.0) * (1 - margin - distance) * args_.gamma;
    const Tensor sum = log_sum_exp(pull, positive) + log_sum_exp(push, other);
    return ops::reshape(activations::softplus(ops::maximum(sum, nothing)), {same.shape()[0]});
  }

  Tensor mask(const Tensor& y_true, const Tensor& y_pred) const override {
    return ops::greater(call(y_true, y_pred), 0.0);
  }
};

const nn::RegisterLoss<CircleArgs> registered{"Circle", Circle};

}  // namespace

LossRef Circle(const CircleArgs& args) {
  return LossRef(std::make_shared<CircleLoss>("Circle", args));
}

}  // namespace stoker::losses
