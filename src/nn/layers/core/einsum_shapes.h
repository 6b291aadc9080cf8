#pragma once
#include <string>
#include <vector>

#include "stoker/shape.h"

namespace stoker::nn {

// What an EinsumDense's equation says of its weights.
struct EinsumShapes {
  std::string equation;  // with letters in the place of "..."
  Shape kernel, bias;    // bias: rank 0 where there is none
  Shape fans;            // (numbers that an output sums, outputs that an input reaches)
};

// `output`: the shape after the batch, unknown where the input says it. Throws InvalidArgument.
EinsumShapes einsum_shapes(const std::string& equation, const std::string& bias_axes,
                           const Shape& input, const Shape& output);

}  // namespace stoker::nn
