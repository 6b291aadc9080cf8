#pragma once
#include "device/memory/buffer.h"
#include "graph/emit.h"

namespace stoker::exec {

// A tensor with bytes.
struct EagerTensor : graph::TensorImpl {
  device::Buffer buffer;
  EagerTensor(TensorType t, device::Buffer b) : TensorImpl(std::move(t)), buffer(std::move(b)) {}
  Array array() const override;
};

const device::Buffer& buffer_of(const Tensor& tensor);  // throws inside a trace

// Runs a compiled step on tensors; the results have memory of their own.
class CompiledStep;
std::vector<Tensor> run_on_tensors(CompiledStep& step, const std::vector<Tensor>& inputs);

}  // namespace stoker::exec
