#include "stoker/function.h"

#include "distribution/slice.h"
#include "exec/broadcast_states.h"
#include "exec/eager.h"
#include "exec/traced_step.h"
#include "graph/tape.h"
#include "graph/trace.h"

namespace stoker::detail {

// What is divided among ranks is another step for each way to divide it.
struct TracedFunction::Impl {
  Body body;
  std::vector<std::pair<distribution::Slice, std::unique_ptr<exec::TracedStep>>> steps = {};

  exec::TracedStep& step() {
    const distribution::Slice* const current = distribution::current_slice();
    const distribution::Slice slice = current ? *current : distribution::Slice{};
    for (const auto& [known, step] : steps)
      if (known == slice) return *step;
    return *steps.emplace_back(slice, std::make_unique<exec::TracedStep>(body)).second;
  }
};

TracedFunction::TracedFunction(Body body) : impl_(std::make_shared<Impl>(Impl{std::move(body)})) {}

size_t TracedFunction::traces() const {
  size_t count = 0;
  for (const auto& [slice, step] : impl_->steps) count += step->count();
  return count;
}

namespace {

// Ranks that begin to train together begin with the same values.
void begin_together(const exec::CompiledStep& step) {
  exec::States states;
  for (const auto& use : step.graph().states) states.push_back(use.state);
  exec::broadcast_states(states);
}

}  // namespace

std::vector<Tensor> TracedFunction::operator()(const std::vector<Tensor>& inputs) const {
  if (graph::is_tracing() || graph::Tape::any_listening()) return impl_->body(inputs);
  std::vector<TensorType> signature;
  for (const Tensor& input : inputs) signature.push_back(input.type());
  exec::TracedStep& traced = impl_->step();
  const size_t known = traced.count();
  const exec::StepRef step = traced.step_for(signature);
  if (traced.count() > known && distribution::current_slice()) begin_together(*step);
  return exec::run_on_tensors(*step, inputs);
}

}  // namespace stoker::detail
