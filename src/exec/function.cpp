#include "stoker/function.h"

#include "distribution/slice.h"
#include "exec/broadcast_states.h"
#include "exec/eager.h"
#include "exec/traced_step.h"
#include "graph/tape.h"
#include "graph/trace.h"

namespace stoker::detail {

// One step for each way in which inputs are divided among ranks.
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

// Ranks start training with equal values.
void begin_together(const exec::CompiledStep& step) {
  exec::States states;
  for (const auto& use : step.graph().states) states.push_back(use.state);
  exec::broadcast_states(states);
}

std::vector<Tensor> as_tensors(const std::vector<TracedFunction::Input>& inputs) {
  std::vector<Array> arrays;
  for (const auto& input : inputs)
    if (const auto* array = std::get_if<Array>(&input)) arrays.push_back(*array);
  const bool traces = graph::is_tracing();
  const std::vector<Tensor> sent =
      traces ? std::vector<Tensor>(arrays.begin(), arrays.end()) : exec::upload_tensors(arrays);
  std::vector<Tensor> tensors;
  auto next = sent.begin();
  for (const auto& input : inputs) {
    const auto* tensor = std::get_if<Tensor>(&input);
    tensors.push_back(tensor ? *tensor : *next++);
  }
  return tensors;
}

}  // namespace

std::vector<Tensor> TracedFunction::operator()(const std::vector<Input>& given) const {
  const std::vector<Tensor> inputs = as_tensors(given);
  if (graph::is_tracing() || graph::Tape::any_listening()) return impl_->body(inputs);
  std::vector<TensorType> signature;
  for (const Tensor& input : inputs) signature.push_back(input.type());
  exec::TracedStep& traced = impl_->step();
  const size_t known = traced.count();
  const exec::StepRef step = traced.step_for(signature, {.binds_outputs = true});
  if (traced.count() > known && distribution::current_slice()) begin_together(*step);
  return exec::run_on_tensors(*step, inputs);
}

}  // namespace stoker::detail
