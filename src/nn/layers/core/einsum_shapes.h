#pragma once
#include <string>
#include <vector>

#include "stoker/shape.h"

namespace stoker::nn {

// The weights' shapes that follow from an EinsumDense's equation.
struct EinsumShapes {
  std::string equation;  // with letters instead of "..."
  Shape kernel, bias;    // bias: rank 0 if there is none
  Shape fans;            // (fan_in, fan_out)
};

// `output`: the shape without the batch, unknown where it follows from the input. Throws
// InvalidArgument.
EinsumShapes einsum_shapes(const std::string& equation, const std::string& bias_axes,
                           const Shape& input, const Shape& output);

}  // namespace stoker::nn
