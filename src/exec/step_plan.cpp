#include "exec/step_plan.h"

#include <fmt/format.h>

#include <optional>

#include "core/on_threads.h"
#include "core/round_up.h"
#include "device/scope.h"
#include "exec/variable.h"
#include "graph/passes/recompute.h"
#include "graph/values.h"
#include "stoker/device.h"

namespace stoker::exec {
namespace {

constexpr int64_t constant_alignment = 64;

void place_constants(StepPlan& plan) {
  for (const Array& constant : plan.graph.constants) {
    plan.constant_offsets.push_back(plan.constant_bytes);
    const auto bytes = static_cast<int64_t>(constant.bytes());
    plan.constant_bytes += round_up(bytes, constant_alignment);
  }
}

// Soft placement: the CPU runs what the device refuses, with a message.
Kernel plan_kernel(const device::Device& device, const graph::Graph& graph,
                   const graph::Node& node) {
  if (node.op->view) return {device, {}};
  if (node.op->name == "host_call") {  // always runs on the host
    const device::Device host = device::host_device();
    return {host, plan_node(host, graph, node)};
  }
  try {
    return {device, plan_node(device, graph, node)};
  } catch (const Unsupported& refusal) {
    if (device.is_host() || !get_soft_device_placement()) throw;
    const device::Device host = device::host_device();
    Kernel kernel(host, plan_node(host, graph, node));
    device::say_once(device.name() + node.op->name,
                     fmt::format("stoker: {} runs \"{}\", with copies in every step: {}",
                                 host.name(), node.op->name, refusal.message()));
    return kernel;
  }
}

// In node order. A GPU's libraries may spend some 10 ms on each search for a convolution kernel, so
// many nodes are planned by several threads.
std::vector<Kernel> plan_kernels(const device::Device& device, const graph::Graph& graph) {
  constexpr size_t worth_threads = 32;
  const size_t count = graph.nodes.size();
  std::vector<std::optional<Kernel>> planned(count);
  const auto plan_one = [&](size_t i) {
    planned[i].emplace(plan_kernel(device, graph, graph.nodes[i]));
  };
  if (device.is_host() || count < worth_threads)
    for (size_t i = 0; i < count; ++i) plan_one(i);
  else
    on_threads(count, plan_one);
  std::vector<Kernel> kernels;
  kernels.reserve(count);
  for (auto& kernel : planned) kernels.push_back(std::move(*kernel));
  return kernels;
}

std::vector<int64_t> workspace_bytes(const StepPlan& plan) {
  std::vector<int64_t> bytes;
  for (const Kernel& kernel : plan.kernels)  // parts that run on the CPU bring their own workspaces
    bytes.push_back(kernel.device() == plan.device ? static_cast<int64_t>(kernel.plan().workspace)
                                                   : int64_t{0});
  return bytes;
}

// With a recomputation, or without one by default.
StepPlan plan_with(const graph::Graph& graph, const device::Device& device,
                   const std::vector<graph::Pass>& more) {
  const auto accepts = [&](const graph::Graph& g, const graph::Node& node) {
    try {
      const Kernel trial(device, plan_node(device, g, node));
      return true;
    } catch (const Unsupported&) {
      return false;
    }
  };
  StepPlan plan{.device = device, .graph = graph::run_passes(graph, accepts, more)};
  plan.kernels = plan_kernels(device, plan.graph);
  plan.memory = graph::plan_memory(plan.graph, workspace_bytes(plan));
  place_constants(plan);
  plan.recomputes = !more.empty();
  return plan;
}

// If the step is small, memory reuse should not serialise its calls.
void avoid_reuse(StepPlan& plan, const PlanOptions& options) {
  const auto no_reuse_limit = static_cast<int64_t>(plan.device.describe().no_reuse_limit);
  if (plan.memory.block_bytes > no_reuse_limit || plan.recomputes) return;
  auto memory = graph::plan_memory(plan.graph, workspace_bytes(plan), no_reuse_limit);
  std::swap(plan.memory, memory);
  if (!plan.fits(options)) std::swap(plan.memory, memory);
}

// Recomputations are sorted from least extra work to least memory. If forced, the plan that needs
// the least memory is taken; if only needed, the first one that fits.
StepPlan choose_plan(const graph::Graph& graph, const device::Device& device,
                     const PlanOptions& options) {
  StepPlan best = plan_with(graph, device, {});
  const auto enough = [&] { return options.recompute.if_needed() && best.fits(options); };
  if (options.recompute.never() || enough()) return best;
  for (const graph::Recomputation& how : graph::recomputations(graph)) {
    StepPlan plan = plan_with(graph, device, {graph::recompute_pass(how)});
    if (plan.memory.arena_bytes < best.memory.arena_bytes) best = std::move(plan);
    if (enough()) break;
  }
  return best;
}

// Values that neither the step nor anyone else reads may have any address, as they do not constrain
// the order of calls.
bool have_memory_of_their_own(const std::vector<graph::ValueId>& values, const StepPlan& plan) {
  const auto roots = graph::view_roots(plan.graph);
  const auto readers = graph::readers_of_values(plan.graph);
  std::vector<bool> seen(roots.size());
  for (const graph::ValueId v : values) {
    const size_t i = graph::index_of(v);
    if (plan.memory.places[i].kind != graph::Place::arena || roots[i] != v) return false;
    if (seen[i] || !readers[i].empty()) return false;
    seen[i] = true;
  }
  for (const graph::StateCopy& copy : plan.memory.copies)
    if (seen[graph::index_of(copy.from)]) return false;
  return true;
}

}  // namespace

StepPlan plan_step(graph::Graph graph, const device::Device& device, const PlanOptions& options) {
  StepPlan plan = choose_plan(graph, device, options);
  avoid_reuse(plan, options);
  return plan;
}

void StepPlan::bind_outputs() {
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (!on_device(n)) return;
  if (!have_memory_of_their_own(graph.outputs, *this)) return;
  auto next = static_cast<int64_t>(graph.inputs.size());
  for (const graph::ValueId v : graph.outputs)
    memory.places[static_cast<size_t>(v)] = {graph::Place::input, next++};
  binds_outputs = true;
}

int64_t StepPlan::bytes_left_to_others(const PlanOptions& options) const {
  return options.reserve + options.more_steps * constant_bytes;
}

bool StepPlan::fits(const PlanOptions& options) const {
  return bytes_to_allocate(options.shared_arena) + bytes_left_to_others(options) <=
         device.free_memory().largest_piece;
}

int64_t StepPlan::state_bytes_to_allocate() const {
  int64_t bytes = 0;
  for (const auto& use : graph.states) {
    const device::Buffer& buffer = memory_of(*use.state).buffer;
    if (!buffer.defined() || !(buffer.device() == device)) bytes += use.state->type.bytes();
  }
  return bytes;
}

bool StepPlan::can_use(const device::Buffer* shared_arena) const {
  return shared_arena && shared_arena->defined() && shared_arena->device() == device &&
         shared_arena->bytes() >= static_cast<uint64_t>(memory.arena_bytes);
}

int64_t StepPlan::bytes_to_allocate(const device::Buffer* shared_arena) const {
  return state_bytes_to_allocate() + constant_bytes +
         (can_use(shared_arena) ? 0 : memory.arena_bytes);
}

graph::Cost StepPlan::cost() const {
  graph::Cost total;
  for (const graph::Node& node : graph.nodes) {
    const graph::Cost cost = graph.cost(node);
    total.flops += cost.flops;
    total.bytes += cost.bytes;
  }
  return total;
}

std::string call_name(const graph::Node& node) {
  return node.scope.empty() ? node.op->name : node.scope + "/" + node.op->name;
}

}  // namespace stoker::exec
