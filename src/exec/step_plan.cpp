#include "exec/step_plan.h"

#include "exec/variable.h"
#include "graph/rewrite.h"

namespace stoker::exec {
namespace {

constexpr int64_t constant_alignment = 64;

void place_constants(StepPlan& plan) {
  for (const Array& constant : plan.graph.constants) {
    plan.constant_offsets.push_back(plan.constant_bytes);
    const auto bytes = static_cast<int64_t>(constant.bytes());
    plan.constant_bytes +=
        (bytes + constant_alignment - 1) / constant_alignment * constant_alignment;
  }
}

}  // namespace

StepPlan plan_step(graph::Graph graph, const device::Device& device) {
  const auto accepts = [&](const graph::Graph& g, const graph::Node& node) {
    try {
      const Kernel trial(device, plan_node(device, g, node));
      return true;
    } catch (const Unsupported&) {
      return false;
    }
  };
  StepPlan plan{.device = device, .graph = graph::run_passes(std::move(graph), accepts)};
  std::vector<int64_t> workspace;
  for (const graph::Node& node : plan.graph.nodes) {
    plan.kernels.emplace_back(device,
                              node.op->view ? StokerPlan{} : plan_node(device, plan.graph, node));
    workspace.push_back(static_cast<int64_t>(plan.kernels.back().plan().workspace));
  }
  plan.memory = graph::plan_memory(plan.graph, workspace);
  place_constants(plan);
  return plan;
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

}  // namespace stoker::exec
