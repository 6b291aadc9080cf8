#pragma once
#include <memory>
#include <string>
#include <vector>

#include "kernel.h"

namespace stoker::cpu {

// A straight line of elementwise instructions. Operands are numbered: the node's inputs first, then
// the instructions' results. `results` are the numbers of the node's outputs.
struct Instruction {
  std::string op;
  DType dtype;  // of the result
  std::vector<int> operands;
};
struct ElementwiseProgram {
  std::vector<Instruction> instructions;
  std::vector<int> results;
};

// "multiply:float32 0 1;add:float32 3 2": what the attr "program" of fused_elementwise holds.
ElementwiseProgram parse_program(const std::string& text, const std::vector<int64_t>& results);

// The same program with all arithmetic on 16-bit floats done in float32 and rounded after each
// instruction, as if each had been an op of its own.
ElementwiseProgram widen_halves(const ElementwiseProgram& program,
                                const std::vector<DType>& inputs);

// A kernel that runs the program tile by tile, so that what lies between the instructions stays in
// the first-level cache.
std::unique_ptr<Kernel> plan_program(const NodeView& node, const ElementwiseProgram& program,
                                     std::string& refusal);

}  // namespace stoker::cpu
