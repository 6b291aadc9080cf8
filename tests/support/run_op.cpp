#include "support/run_op.h"

#include <array>
#include <cstdlib>

#include "device/scope.h"
#include "graph/graph.h"

namespace stoker::testing {
namespace {

// Only while a step is compiled; the chosen kernels stay.
class OnlyReference {
 public:
  explicit OnlyReference(bool on) : on_(on) {
    if (!on_) return;
    for (const char* name : names) setenv(name, "reference", 1);
  }
  ~OnlyReference() {
    if (!on_) return;
    for (const char* name : names) unsetenv(name);
  }

 private:
  static constexpr std::array names{"STOKER_CPU_IMPLEMENTATION", "STOKER_CUDA_IMPLEMENTATION"};
  bool on_;
};

}  // namespace

OneOp::OneOp(const std::string& op, const std::vector<Array>& inputs, const graph::Attrs& attrs,
             Kernels kernels) {
  graph::Graph one;
  std::vector<graph::ValueId> in;
  for (const Array& input : inputs) in.push_back(one.add_input(input.type()));
  one.outputs = one.add_node(graph::find_op(op), in, attrs);
  const OnlyReference scope(kernels == Kernels::reference);
  step_ = std::make_unique<exec::CompiledStep>(std::move(one), device::current_device("a test"));
}

std::vector<Array> OneOp::run(const std::vector<Array>& inputs) {
  std::vector<device::Buffer> buffers;
  std::vector<void*> pointers;
  for (const Array& input : inputs) {
    buffers.emplace_back(device::current_device("a test"), input.bytes());
    buffers.back().upload(input.raw(), input.bytes());
    pointers.push_back(buffers.back().data());
  }
  step_->run(pointers.data());
  std::vector<Array> outputs;
  for (size_t i = 0; i < step_->num_outputs(); ++i) outputs.push_back(step_->output(i));
  return outputs;
}

std::vector<Array> run_op(const std::string& op, const std::vector<Array>& inputs,
                          const graph::Attrs& attrs, Kernels kernels) {
  return OneOp(op, inputs, attrs, kernels).run(inputs);
}

std::vector<Array> floats_as(DType dtype, const std::vector<Array>& arrays) {
  std::vector<Array> converted;
  for (const Array& array : arrays)
    converted.push_back(is_floating(array.dtype()) ? array.astype(dtype) : array);
  return converted;
}

}  // namespace stoker::testing
