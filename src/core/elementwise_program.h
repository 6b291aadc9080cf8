#pragma once
#include <string>
#include <vector>

#include "stoker/dtype.h"

namespace stoker {

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

}  // namespace stoker
