#include "nn/losses/hinge_labels.h"

#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::nn {

Tensor hinge_labels(const Tensor& target) {
  const Tensor is_bit = ops::logical_or(ops::equal(target, 0.0), ops::equal(target, 1.0));
  const Tensor all_bits = ops::greater(ops::min(ops::cast(is_bit, target.dtype())), 0.0);
  return ops::where(all_bits, 2.0 * target - 1.0, target);
}

}  // namespace stoker::nn
