#pragma once
#include "nn/layers/random_layer.h"

namespace stoker::nn {

// Samples of the beta distribution with both parameters equal to `alpha`, a positive scalar.
Tensor draw_beta(Draws& random, const Shape& shape, const Tensor& alpha);

// A sample of the n-dimensional Dirichlet distribution with all parameters equal to `alpha`.
Tensor draw_shares(Draws& random, int64_t n, const Tensor& alpha);

// A random permutation of 0 … n - 1, int64.
Tensor draw_order(Draws& random, int64_t n);

}  // namespace stoker::nn
