#pragma once
#include <memory>
#include <span>
#include <vector>

#include "device/buffer.h"
#include "graph/memory_plan.h"

namespace stoker::exec {

struct MemoryUse {
  int64_t parameters = 0, states = 0, activations = 0, workspace = 0, constants = 0, inputs = 0;
  int64_t total() const {
    return parameters + states + activations + workspace + constants + inputs;
  }
};

// One whole step, ready to run: kernels chosen, memory laid out, pointers resolved. Running it
// allocates nothing and takes no lock.
class CompiledStep {
 public:
  // Shape errors, unsupported ops and too little memory show here, before anything runs.
  // A shared arena is used if it is large enough, and becomes this step's if it is not.
  CompiledStep(graph::Graph graph, const device::Device& device,
               device::Buffer* shared_arena = nullptr);
  ~CompiledStep();
  CompiledStep(const CompiledStep&) = delete;
  CompiledStep& operator=(const CompiledStep&) = delete;

  void run(void* const* inputs) { run_steps({inputs, nullptr, 1}); }
  // Device pointers, one per graph input; a device may still be at work when this returns.
  void run_steps(const StokerRun& run);

  size_t num_inputs() const { return graph_.inputs.size(); }
  size_t num_outputs() const { return graph_.outputs.size(); }
  const TensorType& input_type(size_t i) const { return graph_.type(graph_.inputs[i]); }
  const TensorType& output_type(size_t i) const { return graph_.type(graph_.outputs[i]); }
  Array output(size_t i) const;  // of the last run, copied to the host
  const void* output_data(size_t i) const;
  const graph::Graph& graph() const { return graph_; }
  const MemoryUse& memory() const { return memory_; }
  graph::Cost cost() const;
  const device::Device& device() const { return device_; }
  bool is_stale() const;                // has a variable moved to another device since?
  std::string implementations() const;  // which kernel runs each node, for reports and tests

 private:
  struct Kernel;
  void plan_kernels();
  void check_memory() const;
  void allocate(device::Buffer* shared_arena);
  void create_program();
  StokerPointer pointer(graph::ValueId value) const;

  graph::Graph graph_;
  device::Device device_;
  std::vector<Kernel> kernels_;
  graph::MemoryPlan plan_;
  device::Buffer arena_, constants_;
  std::vector<int64_t> constant_offsets_;
  std::vector<std::shared_ptr<graph::State>> states_;  // keeps the variables alive
  std::vector<device::Buffer> state_buffers_;
  void* program_ = nullptr;
  std::vector<void*> last_inputs_;
  MemoryUse memory_;
};

// While it lives, the step's variables stay where they are: for loops in which a user's callback
// could use them on another device.
class PinnedStates {
 public:
  explicit PinnedStates(const CompiledStep& step);
  ~PinnedStates();
  PinnedStates(const PinnedStates&) = delete;
  PinnedStates& operator=(const PinnedStates&) = delete;

 private:
  std::vector<std::shared_ptr<graph::State>> states_;
};

// Describes a node to a backend and asks for a kernel; the refusal is in the error.
StokerPlan plan_node(const device::Device& device, const graph::Graph& graph,
                     const graph::Node& node);

}  // namespace stoker::exec
