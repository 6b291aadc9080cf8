#pragma once
#include <memory>
#include <span>
#include <vector>

#include "core/host_call.h"
#include "device/memory/program_memory.h"
#include "exec/result_slots.h"
#include "exec/step_plan.h"
#include "graph/call_order.h"

namespace stoker::exec {

class HostPiece;

// One whole step, ready to run: kernels are chosen, memory is planned, pointers are resolved.
// Running it allocates nothing, except that a backend which copies moving inputs allocates slots
// for them in the first run. On the CPU it takes no lock; the CUDA backend waits until at most one
// earlier run is in flight, and then locks a mutex of the GPU to launch.
class CompiledStep {
 public:
  // Throws OutOfMemory before anything runs. If the shared arena is too small for this step, the
  // step's own arena replaces it.
  explicit CompiledStep(StepPlan plan, device::Buffer* shared_arena = nullptr,
                        int64_t reserve = 0);  // bytes to leave free
  // Throws for wrong shapes and unsupported ops.
  CompiledStep(graph::Graph graph, const device::Device& device,
               device::Buffer* shared_arena = nullptr)
      : CompiledStep(plan_step(std::move(graph), device), shared_arena) {}
  ~CompiledStep();
  CompiledStep(const CompiledStep&) = delete;
  CompiledStep& operator=(const CompiledStep&) = delete;

  void run(void* const* inputs) { run_steps({inputs, nullptr, 1}); }
  // Device pointers, one per graph input. Asynchronous.
  void run_steps(const StokerRun& run);

  size_t num_inputs() const { return plan_.graph.inputs.size(); }
  size_t num_outputs() const { return plan_.graph.outputs.size(); }
  const TensorType& input_type(size_t i) const { return plan_.graph.type(plan_.graph.inputs[i]); }
  const TensorType& output_type(size_t i) const { return plan_.graph.type(plan_.graph.outputs[i]); }
  Array output(size_t i) const;  // of the latest run, copied to the host
  const void* output_data(size_t i) const;
  ResultSlots& results() { return results_; }  // where outputs are bound; else empty
  const graph::Graph& graph() const { return plan_.graph; }
  const StepPlan& plan() const { return plan_; }
  graph::Cost cost() const { return plan_.cost(); }
  const device::Device& device() const { return plan_.device; }
  bool is_stale() const;                // has a variable moved to another device since?
  std::string implementations() const;  // which kernel runs each node, for reports and tests

 private:
  void check_memory(const device::Buffer* shared_arena, int64_t reserve) const;
  void allocate(device::Buffer* shared_arena);
  // Consecutive nodes on one device: a program of the step's device, or a part that runs on the
  // CPU.
  struct Piece {
    void* program = nullptr;
    std::unique_ptr<HostPiece> host;
  };
  void create_programs();
  Piece create_piece(size_t first, size_t last);  // of the nodes in [first, last)
  void* create_program(size_t first, size_t last);
  StokerCall describe(const graph::Call& call, std::vector<StokerPointer>& pointers);
  std::string name_of(const graph::Call& call) const;  // the layer's path and the op
  void* plan_copy(const graph::StateCopy& copy);
  void run_program(void* program, const StokerRun& run);
  void run_in_pieces(const StokerRun& run);
  StokerPointer pointer(graph::ValueId value) const;
  void* in_arena(int64_t offset) const;
  void* in_second_buffer(int64_t offset) const;  // null: there is no double buffer

  StepPlan plan_;
  device::Buffer arena_, constants_;
  std::vector<Kernel> copies_;  // of the updates that could not be written in place
  std::vector<std::shared_ptr<graph::State>> states_;  // shared ownership
  std::vector<device::Buffer> state_buffers_;
  device::ProgramMemory memory_;
  std::vector<Piece> pieces_;  // a single one, unless the device refused a node
  std::vector<StokerHostCall*> host_calls_;
  std::vector<void*> last_inputs_, piece_inputs_;
  ResultSlots results_;
};

// While it lives, the step's variables stay on their device: for loops in which a user's callback
// could use them on another one.
class PinnedStates {
 public:
  explicit PinnedStates(const CompiledStep& step);
  ~PinnedStates();
  PinnedStates(const PinnedStates&) = delete;
  PinnedStates& operator=(const PinnedStates&) = delete;

 private:
  std::vector<std::shared_ptr<graph::State>> states_;
};

}  // namespace stoker::exec
