#include "exec/traced_step.h"

#include "device/scope.h"
#include "device/switches.h"
#include "exec/variable.h"
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

namespace {

device::Device device_for(const graph::Graph& graph, const std::optional<device::Device>& asked) {
  if (asked) return *asked;
  for (const auto& use : graph.states)
    if (const auto& home = memory_of(*use.state).home) return *home;
  return device::current_device("a compiled step");
}

}  // namespace

CompiledStep& TracedStep::step_for(const std::vector<TensorType>& inputs) {
  std::optional<device::Device> asked;
  if (const device::Scope* scope = device::Scope::innermost()) asked = scope->device();
  for (Entry& entry : steps_)
    if (entry.signature == inputs && entry.asked == asked &&
        entry.switches == device::switches_version() && !entry.step->is_stale())
      return *entry.step;
  drop_stale();
  graph::Graph graph = trace(body_, inputs);
  const device::Device device = device_for(graph, asked);
  auto step = std::make_unique<CompiledStep>(std::move(graph), device, arena_.get());
  return *steps_.emplace_back(Entry{inputs, asked, device::switches_version(), std::move(step)})
              .step;
}

void TracedStep::drop_stale() {
  std::erase_if(steps_, [](const Entry& entry) { return entry.step->is_stale(); });
}

}  // namespace stoker::exec
