#pragma once
#include <algorithm>

#include "nn/config/args.h"

namespace stoker::nn {

// An LSTM's bias: ones for the forget gate, else another initializer's values.
struct ForgetBias : Initializer::Impl {
  ForgetBias(Initializer o, int64_t u) : other(std::move(o)), units(u) {}
  Array make(const Shape& shape, DType dtype, uint64_t seed) const override {
    Array bias = other(shape, DType::float32, seed).clone();
    auto numbers = bias.mutable_data<float>();
    std::fill_n(numbers.begin() + units, units, 1.0f);
    return bias.astype(dtype);
  }
  std::string class_name() const override { return parse_object(other.to_config()).class_name; }
  Config get_config() const override { return parse_object(other.to_config()).config; }
  Initializer other;
  int64_t units;
};

// The bias initializer of an LSTM with these arguments.
template <class Args>
Initializer lstm_bias_initializer(const Args& args, int64_t units) {
  if (!args.unit_forget_bias) return args.bias_initializer;
  return Initializer(std::make_shared<ForgetBias>(args.bias_initializer, units));
}

}  // namespace stoker::nn
