#include "ops/elementwise_program.h"

// Every elementwise op by itself is a program of one instruction.
namespace stoker::cpu {
namespace {

std::unique_ptr<Kernel> plan_single(const NodeView& node, std::string& refusal) {
  ElementwiseProgram program;
  std::vector<int> operands;
  for (size_t i = 0; i < node.in.size(); ++i) operands.push_back(static_cast<int>(i));
  program.instructions.push_back({node.op, node.out[0].dtype, operands});
  program.results.push_back(static_cast<int>(node.in.size()));
  return plan_program(node, program, refusal);
}

[[maybe_unused]] const bool registered = [] {
  for (const char* op :
       {"add",    "subtract",   "multiply",    "divide",      "maximum",     "minimum",
        "power",  "relu_grad",  "equal",       "not_equal",   "greater",     "greater_equal",
        "less",   "less_equal", "logical_and", "logical_or",  "logical_not", "negative",
        "exp",    "log",        "log1p",       "expm1",       "sqrt",        "rsqrt",
        "square", "reciprocal", "abs",         "sign",        "floor",       "sin",
        "cos",    "tanh",       "sigmoid",     "erf",         "relu",        "isfinite",
        "select", "cast",       "copy",        "broadcast_to"})
    RegisterKernel{op, "tiles", optimised, plan_single};
  return true;
}();

const RegisterKernel fused{
    "fused_elementwise", "tiles", optimised, [](const NodeView& node, std::string& refusal) {
      return plan_program(node, parse_program(node.text("program"), node.integers("results")),
                          refusal);
    }};

}  // namespace
}  // namespace stoker::cpu
