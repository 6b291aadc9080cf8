#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

// Counter-based: the numbers are a function of (seed, counter, position) alone. `counter` is an
// int64 scalar, as a rule the step's number.
Tensor random_uniform(const Shape& shape, uint64_t seed, const Tensor& counter);  // [0, 1)
Tensor random_normal(const Shape& shape, uint64_t seed,
                     const Tensor& counter);  // mean 0, deviation 1

}  // namespace stoker::ops
