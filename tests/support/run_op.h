#pragma once
#include <string>
#include <vector>

#include "exec/compiled_step.h"

namespace stoker::testing {

enum class Kernels { chosen, reference };  // what the CPU backend would choose, or reference only

// A compiled graph of one op.
class OneOp {
 public:
  OneOp(const std::string& op, const std::vector<Array>& inputs, const graph::Attrs& attrs,
        Kernels kernels = Kernels::chosen);
  std::vector<Array> run(const std::vector<Array>& inputs);
  std::string implementations() const { return step_->implementations(); }

 private:
  std::unique_ptr<exec::CompiledStep> step_;
};

std::vector<Array> run_op(const std::string& op, const std::vector<Array>& inputs,
                          const graph::Attrs& attrs, Kernels kernels = Kernels::chosen);

// Converts floating-point arrays; others are unchanged.
std::vector<Array> floats_as(DType dtype, const std::vector<Array>& arrays);

}  // namespace stoker::testing
