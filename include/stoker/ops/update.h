#pragma once
#include <array>

#include "stoker/tensor.h"

namespace stoker::ops {

struct AdamArgs {
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
};
// One Adam step; step_size is the bias-corrected learning rate. Returns {weight, m, v}.
std::array<Tensor, 3> adam_update(const Tensor& weight, const Tensor& m, const Tensor& v,
                                  const Tensor& gradient, const Tensor& step_size,
                                  const AdamArgs& args);

}  // namespace stoker::ops
