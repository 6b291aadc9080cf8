#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

// Counter-based: the numbers depend only on (seed, counter, position). `counter` is an int64
// scalar, usually the step's number.
Tensor random_uniform(const Shape& shape, uint64_t seed, const Tensor& counter);  // [0, 1)
Tensor random_normal(const Shape& shape, uint64_t seed,
                     const Tensor& counter);  // mean 0, standard deviation 1

}  // namespace stoker::ops
