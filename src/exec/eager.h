#pragma once
#include "device/memory/buffer.h"
#include "graph/emit.h"

namespace stoker::exec {

// A tensor with a value.
struct EagerTensor : graph::TensorImpl {
  device::Buffer buffer;
  EagerTensor(TensorType t, device::Buffer b) : TensorImpl(std::move(t)), buffer(std::move(b)) {}
  Array array() const override;
};

const device::Buffer& buffer_of(const Tensor& tensor);  // throws inside a trace

// Tensors with the arrays' bytes, uploaded together, on the current device. Outside a trace.
std::vector<Tensor> upload_tensors(const std::vector<Array>& arrays);

// Runs a compiled step on tensors; the results have their own memory.
class CompiledStep;
std::vector<Tensor> run_on_tensors(CompiledStep& step, const std::vector<Tensor>& inputs);

}  // namespace stoker::exec
