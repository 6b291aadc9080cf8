#pragma once
#include "nn/at_least_float32.h"
#include "nn/layers/args_layer.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

// The result is cast back to integers, as in Keras, which truncates.
inline Tensor as_given(const Tensor& y, const Tensor& given) {
  return is_floating(given.dtype()) ? y : ops::cast(y, given.dtype());
}

struct Moments {
  Tensor centered, variance;  // the variance keeps the reduced axes
};
inline Moments moments(const Tensor& x, const std::vector<int64_t>& axes) {
  const Tensor centered = x - ops::mean(x, {.axis = axes, .keepdims = true});
  return {centered, ops::mean(ops::square(centered), {.axis = axes, .keepdims = true})};
}

// A normalisation followed by a learned gamma and beta.
template <class Args>
class NormalizationLayer : public ArgsLayer<Args> {
 public:
  using ArgsLayer<Args>::ArgsLayer;

 protected:
  int64_t known_size(const Shape& input, int64_t axis) const {
    if (axis < -input.rank() || axis >= input.rank())
      this->fail(fmt::format("axis {} is out of range for input {}.", axis, to_string(input)));
    const int64_t size = input[normalize_axis(axis, input.rank())];
    if (size == unknown)
      this->fail(
          fmt::format("needs to know axis {} of its input, got {}.", axis, to_string(input)));
    return size;
  }

  void add_gamma_and_beta(const Shape& shape, bool gamma, bool beta) {
    const auto& a = this->args_;
    if (gamma)
      gamma_ = this->add_weight("gamma", {.shape = shape,
                                          .initializer = a.gamma_initializer,
                                          .regularizer = a.gamma_regularizer,
                                          .constraint = a.gamma_constraint,
                                          .autocast = false});
    if (beta)
      beta_ = this->add_weight("beta", {.shape = shape,
                                        .initializer = a.beta_initializer,
                                        .regularizer = a.beta_regularizer,
                                        .constraint = a.beta_constraint,
                                        .autocast = false});
  }

  // x * factor * gamma + beta, with the weights reshaped to `shape` for broadcasting.
  Tensor finish(const Tensor& x, const Tensor& factor, const Shape& shape) const {
    const auto lined_up = [&](const Variable& weight) {
      return ops::reshape(ops::cast(weight, x.dtype()), shape);
    };
    const Tensor y = x * (gamma_.defined() ? factor * lined_up(gamma_) : factor);
    return beta_.defined() ? y + lined_up(beta_) : y;
  }

  Variable gamma_, beta_;
};

}  // namespace stoker::nn
