#include "nn/profile/memory_over_time.h"

#include <algorithm>

#include "exec/variable.h"
#include "graph/memory_peak.h"

namespace stoker::nn {
namespace {

constexpr size_t most_places = 240;

// The node with the highest use in each part of the step, so that the peak is included.
std::vector<graph::MemoryPeak> fullest(const std::vector<graph::MemoryPeak>& course) {
  const auto used = [](const graph::MemoryPeak& at) {
    return at.gradients + at.activations + at.workspace;
  };
  const size_t parts = std::min(course.size(), most_places);
  std::vector<graph::MemoryPeak> found;
  for (size_t part = 0; part < parts; ++part)
    found.push_back(*std::ranges::max_element(
        course.begin() + static_cast<std::ptrdiff_t>(part * course.size() / parts),
        course.begin() + static_cast<std::ptrdiff_t>((part + 1) * course.size() / parts), {},
        used));
  return found;
}

int64_t bytes_of_states(const graph::Graph& graph, device::MemoryKind kind, bool others) {
  int64_t bytes = 0;
  for (const graph::StateUse& use : graph.states) {
    const device::MemoryKind found = exec::memory_of(*use.state).kind;
    const bool named =
        found == device::MemoryKind::parameters || found == device::MemoryKind::optimizer;
    if (others ? !named : found == kind) bytes += use.state->type.bytes();
  }
  return bytes;
}

}  // namespace

RunRecord::Memory memory_over_time(const exec::CompiledStep& step, int64_t batch_size) {
  const graph::Graph& graph = step.graph();
  const auto course = fullest(graph::memory_by_node(graph, step.plan().memory));
  const auto constant = [&](int64_t bytes) { return std::vector<int64_t>(course.size(), bytes); };
  RunRecord::Memory memory;
  for (const graph::MemoryPeak& at : course)
    memory.places.push_back(exec::call_name(graph.nodes[static_cast<size_t>(at.node)]));
  const int64_t inputs = [&] {
    int64_t bytes = 0;
    for (const graph::ValueId v : graph.inputs)
      if (const Shape& shape = graph.type(v).shape; shape.rank() > 0 && shape[0] == batch_size)
        bytes += graph.type(v).bytes();
    return bytes;
  }();
  memory.uses = {
      {"parameters", constant(bytes_of_states(graph, device::MemoryKind::parameters, false))},
      {"optimizer", constant(bytes_of_states(graph, device::MemoryKind::optimizer, false))},
      {"batch", constant(inputs)},
      {"other", constant(bytes_of_states(graph, {}, true) + step.plan().constant_bytes)},
      {"activations", {}},
      {"gradients", {}},
      {"workspace", {}}};
  for (const graph::MemoryPeak& at : course) {
    memory.uses[4].bytes.push_back(at.activations);
    memory.uses[5].bytes.push_back(at.gradients);
    memory.uses[6].bytes.push_back(at.workspace);
  }
  for (size_t i = 0; i < course.size(); ++i) {
    int64_t all = 0;
    for (const RunRecord::MemoryUse& use : memory.uses) all += use.bytes[i];
    memory.peak = std::max(memory.peak, all);
  }
  memory.device_total = static_cast<int64_t>(step.device().describe().memory);
  return memory;
}

}  // namespace stoker::nn
