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

// Every elementwise op by itself is a program of one instruction.
inline constexpr const char* elementwise_ops[] = {
    "add",    "subtract",   "multiply",    "divide",      "maximum",     "minimum",
    "power",  "relu_grad",  "equal",       "not_equal",   "greater",     "greater_equal",
    "less",   "less_equal", "logical_and", "logical_or",  "logical_not", "negative",
    "exp",    "log",        "log1p",       "expm1",       "sqrt",        "rsqrt",
    "square", "reciprocal", "abs",         "sign",        "floor",       "sin",
    "cos",    "tanh",       "sigmoid",     "erf",         "relu",        "isfinite",
    "select", "cast",       "copy",        "broadcast_to"};
ElementwiseProgram single_instruction(const std::string& op, DType result, size_t inputs);

}  // namespace stoker
