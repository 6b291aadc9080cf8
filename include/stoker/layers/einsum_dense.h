#pragma once
#include "stoker/activation.h"
#include "stoker/layer.h"

namespace stoker::layers {

struct EinsumDenseArgs {
  std::string equation;  // "abc,cd->abd", "...x,xy->...y"
  Shape output_shape;    // without the batch; unknown if it follows from the input
  stoker::Activation activation = {};
  std::optional<std::string> bias_axes = {};  // letters of the output with a bias
  Initializer kernel_initializer = "glorot_uniform", bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// activation(einsum(equation, x, kernel) + bias)
LayerRef EinsumDense(const EinsumDenseArgs& args,
                     std::source_location created = std::source_location::current());

}  // namespace stoker::layers
