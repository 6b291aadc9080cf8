#pragma once
#include "nn/layers/random_layer.h"

namespace stoker::nn {

// Numbers of the beta distribution with both parameters `alpha`, a positive scalar.
Tensor draw_beta(Draws& random, const Shape& shape, const Tensor& alpha);

// n shares of a whole, of the Dirichlet distribution with all parameters `alpha`.
Tensor draw_shares(Draws& random, int64_t n, const Tensor& alpha);

// 0 … n - 1 in random order, int64.
Tensor draw_order(Draws& random, int64_t n);

}  // namespace stoker::nn
