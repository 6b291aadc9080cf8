#pragma once
#include <string>
#include <vector>

#include "stoker/dtype.h"

namespace stoker::cuda {

// What a dtype is computed in, in a kernel's text: float16 and bfloat16 in float, a bool as a byte.
const char* compute_name(DType dtype);

// For kernels that include elementwise/functions.cuh: the expression for one elementwise
// instruction on variables of the operands' compute types. `in` is the dtype of the operands (of a
// select: of its branches). Empty: there is none.
std::string instruction_text(const std::string& op, DType in, DType out,
                             const std::vector<std::string>& operands);

}  // namespace stoker::cuda
