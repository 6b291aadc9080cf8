#pragma once
#include <optional>

#include "stoker/tensor.h"

namespace stoker::nn {

// Dropout's noise for layers that are more than a Dropout: each draw is another one.
class DrawnDropout {
 public:
  DrawnDropout() = default;
  // `calls`: a state that counts the draws, an int64 scalar.
  DrawnDropout(std::optional<int64_t> seed, Variable calls);
  // 0 with the probability `rate`, else 1 / (1 - rate).
  Tensor noise(const Shape& shape, double rate, DType dtype) const;

 private:
  uint64_t seed_ = 0;
  Variable calls_;
};

}  // namespace stoker::nn
