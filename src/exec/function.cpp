#include "stoker/function.h"

#include "exec/eager.h"
#include "exec/traced_step.h"
#include "graph/tape.h"
#include "graph/trace.h"

namespace stoker::detail {

struct TracedFunction::Impl {
  exec::TracedStep step;
};

TracedFunction::TracedFunction(Body body)
    : impl_(std::make_shared<Impl>(Impl{exec::TracedStep(std::move(body))})) {}

size_t TracedFunction::traces() const { return impl_->step.count(); }

std::vector<Tensor> TracedFunction::operator()(const std::vector<Tensor>& inputs) const {
  if (graph::is_tracing() || graph::Tape::any_listening()) return impl_->step.body()(inputs);
  std::vector<TensorType> signature;
  for (const Tensor& input : inputs) signature.push_back(input.type());
  return exec::run_on_tensors(*impl_->step.step_for(signature), inputs);
}

}  // namespace stoker::detail
