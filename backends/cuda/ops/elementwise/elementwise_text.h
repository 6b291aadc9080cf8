#pragma once
#include <string>
#include <vector>

#include "stoker/dtype.h"

namespace stoker::cuda {

// The compute type of a dtype in kernel code: float for float16 and bfloat16, a byte for bool.
const char* compute_name(DType dtype);

// For kernels that include elementwise/functions.cuh: the expression of one elementwise instruction
// on variables of the operands' compute types. `in` is the dtype of the operands (for a select, of
// its branches). Empty: there is none.
std::string instruction_text(const std::string& op, DType in, DType out,
                             const std::vector<std::string>& operands);

}  // namespace stoker::cuda
