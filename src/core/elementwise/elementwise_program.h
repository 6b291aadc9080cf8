#pragma once
#include <string>
#include <vector>

#include "stoker/dtype.h"

namespace stoker {

// A sequence of elementwise instructions. Operands are numbered: the node's inputs first, then the
// instructions' results. `results` are the numbers of the node's outputs.
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

// Every elementwise op by itself is a program of one instruction.
inline constexpr const char* elementwise_ops[] = {
#define ELEMENTWISE_OP(name, ...) #name,
#include "core/elementwise/elementwise_ops.def"
    "select", "cast", "copy", "broadcast_to"};
ElementwiseProgram single_instruction(const std::string& op, DType result, size_t inputs);

}  // namespace stoker
