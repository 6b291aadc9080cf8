#pragma once
#include "stoker/activation.h"
#include "stoker/layer.h"

namespace stoker::layers {

struct DenseArgs {
  int64_t units = 0;
  stoker::Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform", bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// activation(x · kernel + bias), over the last axis.
LayerRef Dense(const DenseArgs& args,
               std::source_location created = std::source_location::current());

}  // namespace stoker::layers
