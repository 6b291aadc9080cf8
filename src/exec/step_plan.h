#pragma once
#include <string>
#include <utility>
#include <vector>

#include "device/memory/buffer.h"
#include "graph/memory_plan.h"
#include "stoker/memory.h"

namespace stoker::exec {

// Owns a backend's kernel. Views have none.
class Kernel {
 public:
  Kernel(const device::Device& device, StokerPlan plan) : device_(device), plan_(plan) {}
  Kernel(Kernel&& other) noexcept : device_(other.device_), plan_(std::exchange(other.plan_, {})) {}
  Kernel& operator=(Kernel&&) = delete;
  ~Kernel() {
    if (plan_.kernel) device_.table().release_kernel(plan_.kernel);
  }
  const StokerPlan& plan() const { return plan_; }
  const device::Device& device() const { return device_; }

 private:
  device::Device device_;
  StokerPlan plan_{};
};

struct PlanOptions {
  Recompute recompute = false;
  int64_t reserve = 0;  // bytes of the device that others will still take
  const device::Buffer* shared_arena = nullptr;
  int64_t more_steps = 0;  // like it, still to be compiled: they share its arena, not its constants
};

// A step as a device would run it: the graph after the passes, a kernel for each node, and a place
// for every byte. Making one takes no memory of the device.
struct StepPlan {
  device::Device device;
  graph::Graph graph;
  std::vector<Kernel> kernels;  // by node
  graph::MemoryPlan memory;
  std::vector<int64_t> constant_offsets;
  int64_t constant_bytes = 0;
  bool recomputes = false;
  bool binds_outputs = false;  // whoever runs it has their pointers behind those of the inputs

  // Makes it so, for a single op on the device: its results need no copy then.
  void bind_outputs();

  // False: the device refuses the node, and the CPU runs it.
  bool on_device(size_t node) const { return kernels[node].device() == device; }

  // What compiling it would take of the device: variables that are there already cost nothing.
  int64_t state_bytes_to_allocate() const;
  int64_t bytes_to_allocate(const device::Buffer* shared_arena) const;
  bool can_use(const device::Buffer* shared_arena) const;
  int64_t bytes_left_to_others(const PlanOptions& options) const;
  bool fits(const PlanOptions& options) const;
  graph::Cost cost() const;
};

// An op that the device refuses runs on the CPU, which is said; without soft placement it throws
// Unsupported.
StepPlan plan_step(graph::Graph graph, const device::Device& device,
                   const PlanOptions& options = {});

// How a call of the node is called in a profile: the layer's path and the op.
std::string call_name(const graph::Node& node);

// Describes a node to a backend and asks for a kernel; the refusal is in the error.
StokerPlan plan_node(const device::Device& device, const graph::Graph& graph,
                     const graph::Node& node);

}  // namespace stoker::exec
