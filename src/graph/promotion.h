#pragma once
#include <vector>

#include "graph/op.h"

// Keras's type promotion. An op names its rule (Op::promote), and emit casts the inputs
// accordingly.
namespace stoker::graph {

// The dtype for both: bool < integers < floats; of two of a kind the wider one. Dtypes that do not
// exist here (Keras's int16 for uint8 and int8) become the next wider one.
DType result_type(DType a, DType b);
// The accumulator's dtype for sums and products: bools and small integers become int32.
DType total_type(DType dtype);
// Integers and bools become float32.
DType float_type(DType dtype);

using DTypes = std::vector<DType>;
using Types = std::span<const TensorType>;
DTypes to_one(Types in);        // all inputs to one dtype
DTypes to_one_float(Types in);  // … which is a floating-point one
DTypes to_floats(Types in);     // each input by itself
DTypes to_bools(Types in);
DTypes to_numbers(Types in);     // bools to int32
DTypes to_totals(Types in);      // each input to its total_type
DTypes to_one_behind(Types in);  // the first input to bool, the others to a common dtype

// The inputs after promotion.
std::vector<Tensor> promoted(const Op& op, const std::vector<Tensor>& inputs);

}  // namespace stoker::graph
