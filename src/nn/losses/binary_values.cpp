#include "nn/losses/binary_values.h"

#include "graph/emit.h"
#include "nn/losses/logits.h"
#include "stoker/ops/elementwise.h"

namespace stoker::nn {
namespace {

// max(x, 0) - x z + log(1 + exp(-|x|)), written with where: the gradients of max and |x| at 0,
// where outputs often start, would not add up to sigmoid(0).
Tensor on_logits(const Tensor& z, const Tensor& x) {
  const Tensor positive = ops::greater_equal(x, 0.0);
  const Tensor above = ops::where(positive, x, graph::scalar_like(x, 0));
  // A separate statement: compilers differ in the evaluation order of a sum, and the dense-stack
  // trainer recognises only one.
  const Tensor rest = ops::log1p(ops::exp(ops::where(positive, -x, x)));
  return above - x * z + rest;
}

Tensor on_probabilities(const Tensor& z, const Tensor& output) {
  const Tensor p = clip_probabilities(output);
  return -(z * ops::log(p) + (1.0 - z) * ops::log(1.0 - p));
}

}  // namespace

Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits) {
  const Tensor logits = logits_of(output, from_logits, "sigmoid");
  return logits.defined() ? on_logits(target, logits) : on_probabilities(target, output);
}

}  // namespace stoker::nn
