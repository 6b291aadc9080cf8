#pragma once
#include <optional>

#include "stoker/tensor.h"

// The activations with their arguments; Activation("relu") has the defaults.
namespace stoker::activations {

struct ReluArgs {
  double negative_slope = 0;
  std::optional<double> max_value = {};
  double threshold = 0;
};
Tensor relu(const Tensor& x, const ReluArgs& args = {});
Tensor relu6(const Tensor& x);
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.2);
Tensor elu(const Tensor& x, double alpha = 1);
Tensor selu(const Tensor& x);
Tensor celu(const Tensor& x, double alpha = 1);
Tensor gelu(const Tensor& x, bool approximate = false);
Tensor glu(const Tensor& x, int64_t axis = -1);
Tensor silu(const Tensor& x);
Tensor mish(const Tensor& x);
Tensor softplus(const Tensor& x);
Tensor softsign(const Tensor& x);
Tensor squareplus(const Tensor& x, double b = 4);
Tensor sparse_plus(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor log_sigmoid(const Tensor& x);
Tensor hard_sigmoid(const Tensor& x);
Tensor sparse_sigmoid(const Tensor& x);
Tensor hard_silu(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor hard_tanh(const Tensor& x);
Tensor tanh_shrink(const Tensor& x);
Tensor hard_shrink(const Tensor& x, double threshold = 0.5);
Tensor soft_shrink(const Tensor& x, double threshold = 0.5);
Tensor exponential(const Tensor& x);
Tensor linear(const Tensor& x);
Tensor softmax(const Tensor& x, int64_t axis = -1);
Tensor log_softmax(const Tensor& x, int64_t axis = -1);
Tensor sparsemax(const Tensor& x, int64_t axis = -1);
Tensor threshold(const Tensor& x, double threshold, double default_value);

}  // namespace stoker::activations
