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
  int64_t reserve = 0;  // bytes of device memory to leave for others
  const device::Buffer* shared_arena = nullptr;
  // similar steps that are still to be compiled: they share this one's arena, but not its constants
  int64_t more_steps = 0;
};

// A step as a device would run it: the graph after all passes, a kernel for each node, and an
// offset for every value. Planning allocates no device memory.
struct StepPlan {
  device::Device device;
  graph::Graph graph;
  std::vector<Kernel> kernels;  // by node
  graph::MemoryPlan memory;
  std::vector<int64_t> constant_offsets;
  int64_t constant_bytes = 0;
  bool recomputes = false;
  // the caller passes pointers for the outputs after those of the inputs
  bool binds_outputs = false;

  // Results are then written without a copy. Does nothing if an output's memory has other uses in
  // the step.
  void bind_outputs();

  // False: the device refuses the node, and the CPU runs it.
  bool on_device(size_t node) const { return kernels[node].device() == device; }

  // Device memory that compiling it would allocate: variables that are already there cost nothing.
  int64_t state_bytes_to_allocate() const;
  int64_t bytes_to_allocate(const device::Buffer* shared_arena) const;
  bool can_use(const device::Buffer* shared_arena) const;
  int64_t bytes_left_to_others(const PlanOptions& options) const;
  bool fits(const PlanOptions& options) const;
  graph::Cost cost() const;
};

// The CPU runs an op that the device refuses, with a message; without soft placement it throws
// Unsupported.
StepPlan plan_step(graph::Graph graph, const device::Device& device,
                   const PlanOptions& options = {});

// The name of the node's calls in a profile: the layer's path and the op.
std::string call_name(const graph::Node& node);

// Describes a node to a backend and requests a kernel; the error contains the refusals.
StokerPlan plan_node(const device::Device& device, const graph::Graph& graph,
                     const graph::Node& node);

}  // namespace stoker::exec
