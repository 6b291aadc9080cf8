#include "exec/traced_step.h"

#include "graph/trace.h"

namespace stoker::exec {

graph::Graph trace(const TracedStep::Body& body, const std::vector<TensorType>& inputs) {
  graph::Trace tracing;
  const graph::EmitterScope scope(tracing);
  std::vector<Tensor> arguments;
  for (const TensorType& type : inputs) arguments.push_back(tracing.input(type));
  for (const Tensor& result : body(arguments)) tracing.output(result);
  return tracing.take();
}

CompiledStep& TracedStep::step_for(const std::vector<TensorType>& inputs) {
  for (const auto& [signature, step] : steps_)
    if (signature == inputs) return *step;
  auto step =
      std::make_unique<CompiledStep>(trace(body_, inputs), device::default_device(), arena_.get());
  return *steps_.emplace_back(inputs, std::move(step)).second;
}

}  // namespace stoker::exec
