#include "exec/traced_step.h"

#include "device/scope.h"
#include "device/switches.h"
#include "exec/variable.h"
#include "graph/trace.h"
#include "ledger/ledger.h"

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

std::optional<device::Device> asked_device() {
  const device::Scope* scope = device::Scope::innermost();
  return scope ? std::optional(scope->device()) : std::nullopt;
}

device::Device device_for(const graph::Graph& graph, const std::optional<device::Device>& asked) {
  if (asked) return *asked;
  for (const auto& use : graph.states)
    if (const auto& home = memory_of(*use.state).home) return *home;
  return device::current_device("a compiled step");
}

}  // namespace

StepRef TracedStep::step_for(const std::vector<TensorType>& inputs, const StepOptions& options) {
  const auto asked = asked_device();
  for (Entry& entry : steps_)
    if (entry.signature == inputs && entry.asked == asked && entry.recompute == options.recompute &&
        entry.switches == device::switches_version() && !entry.step->is_stale()) {
      entry.last_use = ++uses_;
      return entry.step;
    }
  const auto booked = ledger::book_in_loop(ledger::Activity::compile);
  drop_stale();
  make_room();
  StepPlan plan = plan_for(inputs, options);
  const int64_t reserve = plan.bytes_left_to_others(plan_options(options));
  auto step = std::make_shared<CompiledStep>(std::move(plan), arena_.get(), reserve);
  steps_.push_back({inputs, asked, device::switches_version(), options.recompute, step, ++uses_});
  return step;
}

void TracedStep::make_room() {
  while (steps_.size() >= most_kept) {
    auto oldest = steps_.end();
    for (auto entry = steps_.begin(); entry != steps_.end(); ++entry)
      if (entry->step.use_count() == 1 &&
          (oldest == steps_.end() || entry->last_use < oldest->last_use))
        oldest = entry;
    if (oldest == steps_.end()) return;
    steps_.erase(oldest);
  }
}

StepPlan TracedStep::plan_for(const std::vector<TensorType>& inputs,
                              const StepOptions& options) const {
  graph::Graph graph = trace(body_, inputs);
  const device::Device device = device_for(graph, asked_device());
  StepPlan plan = plan_step(std::move(graph), device, plan_options(options));
  if (options.binds_outputs) plan.bind_outputs();
  return plan;
}

PlanOptions TracedStep::plan_options(const StepOptions& options) const {
  return {options.recompute, options.reserve, arena_.get(), options.more_steps};
}

void TracedStep::drop_stale() {
  std::erase_if(steps_, [](const Entry& entry) { return entry.step->is_stale(); });
}

void TracedStep::drop_unused() {
  std::erase_if(steps_, [](const Entry& entry) { return entry.step.use_count() == 1; });
}

}  // namespace stoker::exec
