#include "nn/unit_vectors.h"

#include "stoker/ops/elementwise.h"

namespace stoker::nn {

Tensor unit_vectors(const Tensor& x, std::vector<int64_t> axes, double least) {
  const ops::ReduceArgs over{.axis = std::move(axes), .keepdims = true};
  return x * ops::rsqrt(ops::maximum(ops::sum(ops::square(x), over), least * least));
}

}  // namespace stoker::nn
