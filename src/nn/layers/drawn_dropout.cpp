#include "nn/layers/drawn_dropout.h"

#include "nn/random_seed.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/random.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

DrawnDropout::DrawnDropout(std::optional<int64_t> seed, Variable calls)
    : seed_(seed ? static_cast<uint64_t>(*seed) : next_seed()), calls_(std::move(calls)) {}

Tensor DrawnDropout::noise(const Shape& shape, double rate, DType dtype) const {
  if (rate >= 1) return ops::fill(shape, 0, dtype);
  const Tensor calls = calls_;
  const Tensor kept = ops::greater_equal(ops::random_uniform(shape, seed_, calls), rate);
  calls_.assign(calls + 1.0);
  return ops::cast(kept, dtype) * (1 / (1 - rate));
}

}  // namespace stoker::nn
