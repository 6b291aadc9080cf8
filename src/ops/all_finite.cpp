#include "stoker/ops/all_finite.h"

#include "graph/trace.h"
#include "ops/infer.h"

namespace stoker::ops {
namespace {

OutTypes infer_all_finite(Types in, const Attrs&) {
  expect(!in.empty(), "takes at least one input, got none.");
  for (const TensorType& type : in) expect_float(type);
  return {{DType::boolean, Shape{}}};
}

double flops_all_finite(Types in, Types, const Attrs&) {
  double elements = 0;
  for (const TensorType& type : in) elements += static_cast<double>(type.shape.size());
  return elements;
}

const RegisterOp registered{
    {.name = "all_finite", .infer = infer_all_finite, .flops = flops_all_finite}};

// A 16-bit float cast to float32 is finite if it was before, and reading it takes half the bytes.
Tensor before_widening(const Tensor& tensor) {
  const graph::Node* node = graph::producer_of(tensor);
  if (!node || node->op->name != "cast") return tensor;
  const Tensor source = graph::input_of(tensor, 0);
  return is_half(source.dtype()) && !is_half(tensor.dtype()) ? source : tensor;
}

}  // namespace

Tensor all_finite(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> sources;
  for (const Tensor& tensor : tensors) sources.push_back(before_widening(tensor));
  return graph::emit1("all_finite", sources);
}

}  // namespace stoker::ops
