#pragma once
#include "nn/random_seed.h"
#include "stoker/tensor.h"

namespace stoker::nn {

// Dropout masks for layers with built-in dropout; each call draws a new mask.
class DrawnDropout {
 public:
  DrawnDropout() = default;
  explicit DrawnDropout(Variable state) : state_(std::move(state)) {}  // a random state
  // 0 with the probability `rate`, else 1 / (1 - rate).
  Tensor noise(const Shape& shape, double rate, DType dtype) const;

 private:
  Variable state_;
};

}  // namespace stoker::nn
