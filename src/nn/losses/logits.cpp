#include "nn/losses/logits.h"

#include "graph/trace.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

static Tensor logits_behind(const Tensor& y_pred, const char* activation) {
  Tensor at = y_pred;
  while (const graph::Node* node = graph::producer_of(at)) {
    const Tensor input = graph::input_of(at, 0);
    // A reshape that splits or joins the class axis would change the rows.
    if (at.shape().back() != y_pred.shape().back()) return {};
    if (node->op->name == activation)
      return ops::cast(
          input.shape() == y_pred.shape() ? input : ops::reshape(input, y_pred.shape()),
          y_pred.dtype());
    const bool keeps =
        node->op->name == "reshape" || (node->op->name == "cast" && is_floating(input.dtype()));
    if (!keeps || input.shape().rank() == 0) return {};
    at = input;
  }
  return {};
}

Tensor logits_of(const Tensor& y_pred, bool from_logits, const char* activation) {
  const Tensor behind = logits_behind(y_pred, activation);
  if (behind.defined()) return behind;
  return from_logits ? y_pred : Tensor();
}

Tensor clip_probabilities(const Tensor& p) { return ops::clip(p, 1e-7, 1 - 1e-7); }

}  // namespace stoker::nn
