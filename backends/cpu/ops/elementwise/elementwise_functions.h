#pragma once
#include <cstdint>
#include <string_view>

#include "stoker/dtype.h"

namespace stoker::cpu {

// One instruction over n elements. `out` may be one of the operands, never a shifted one.
using TileFunction = void (*)(const void* a, const void* b, const void* c, void* out, int64_t n);

// `in` is the dtype of the operands (of a select: of its branches). Null: there is none.
TileFunction find_typed_function(std::string_view op, DType in, DType out);
TileFunction find_cast_function(DType from, DType to);

// The same for float32 in SIMD, for the machine at hand; null where the plain loop is as good.
TileFunction find_float32_function(std::string_view op);

}  // namespace stoker::cpu
