#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/elementwise/elementwise_program.h"
#include "kernel.h"

namespace stoker::cpu {

// The same program with all arithmetic on 16-bit floats in float32, rounded after each instruction,
// as if each were a separate op.
ElementwiseProgram widen_float16(const ElementwiseProgram& program,
                                 const std::vector<DType>& inputs);

// A kernel that runs the program tile by tile, so that intermediate values stay in the L1 cache.
std::unique_ptr<Kernel> plan_program(const NodeView& node, const ElementwiseProgram& program,
                                     std::string& refusal);

}  // namespace stoker::cpu
