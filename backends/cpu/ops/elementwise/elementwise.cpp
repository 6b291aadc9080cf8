#include "ops/elementwise/elementwise_program.h"

// Elementwise ops, single and fused.
namespace stoker::cpu {
namespace {

std::unique_ptr<Kernel> plan_single(const NodeView& node, std::string& refusal) {
  return plan_program(node, single_instruction(node.op, node.out[0].dtype, node.in.size()),
                      refusal);
}

[[maybe_unused]] const bool registered = [] {
  for (const char* op : elementwise_ops) RegisterKernel{op, "tiles", optimised, plan_single};
  return true;
}();

const RegisterKernel fused{
    "fused_elementwise", "tiles", optimised, [](const NodeView& node, std::string& refusal) {
      return plan_program(node, parse_program(node.text("program"), node.integers("results")),
                          refusal);
    }};

}  // namespace
}  // namespace stoker::cpu
