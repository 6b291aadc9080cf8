#pragma once
#include <cstdint>
#include <string_view>

#include "stoker/dtype.h"

namespace stoker::cpu {

// One instruction over n elements. `out` may alias an operand exactly, but not overlap it with an
// offset.
using TileFunction = void (*)(const void* a, const void* b, const void* c, void* out, int64_t n);

// `in` is the dtype of the operands (for a select, of its branches). Null: not supported.
TileFunction find_typed_function(std::string_view op, DType in, DType out);
TileFunction find_cast_function(DType from, DType to);

// The same for float32 in SIMD, for this machine; null if the plain loop is as fast.
TileFunction find_float32_function(std::string_view op);

}  // namespace stoker::cpu
