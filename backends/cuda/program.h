#pragma once
#include <array>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "device/backend_interface.h"
#include "kernel.h"
#include "recording.h"

namespace stoker::cuda {

// A whole step as CUDA graphs. Inputs with a fixed address become part of the graph; inputs that
// advance from step to step are first copied into a slot with a fixed address, so that one graph
// can contain several steps and be used for all of them. Small ones, such as indices, are copied
// for all steps of a graph at once. If the arena is a double buffer a step begins before the
// previous one ends: its samples are gathered meanwhile. While the GPU's profiler is on, calls run
// one by one without a graph.
class Program {
 public:
  Program(Gpu& gpu, std::span<const StokerCall> calls, const StokerAllocator& allocator);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // From one thread at a time, which must not hold the GPU's guard: this waits for earlier runs and
  // allocates memory, and then takes the guard.
  void run(const StokerRun& run);
  Gpu& gpu() const { return gpu_; }

 private:
  struct Call {
    Kernel* kernel;
    size_t first_argument;
    std::array<void*, 2> workspaces;
    std::vector<int32_t> after, after_previous;  // calls of its step and of the previous one
    const char* name;
    int32_t node;
  };
  struct Binding {
    size_t argument;
    int32_t input;
  };
  // Which inputs move, and the addresses of the others: what a graph was captured for.
  struct Pattern {
    std::vector<void*> fixed;
    std::vector<int64_t> strides;
    bool operator==(const Pattern&) const = default;
  };

  // The graphs for one pattern.
  struct Recorded {
    Pattern pattern;
    std::vector<int32_t> moving;          // inputs
    std::array<CUgraphExec, 7> graphs{};  // of 1, 2, 4, … steps
  };

  Pattern pattern_of(const StokerRun& run) const;
  bool matches(const Pattern& pattern, const StokerRun& run) const;
  bool find(const StokerRun& run);  // makes the graphs for these inputs the current ones
  void adopt(Pattern pattern);      // adds new ones and makes them current
  void make_slots();
  bool grow_slot(size_t input, int64_t bytes);              // false: out of memory
  CUdeviceptr take(int64_t bytes, const char* what) const;  // 0: out of memory
  void give(CUdeviceptr memory) const;
  enum class Way { by_graphs, directly, whole, timed };
  Way prepare(const StokerRun& run);  // chooses how to run, and allocates memory for it
  void enqueue(const StokerRun& run, Way way);
  bool is_whole() const { return calls_.size() == 1 && calls_[0].kernel->runs_many_steps(); }
  void run_whole(const StokerRun& run);                   // one kernel that runs many steps
  void run_directly(const StokerRun& run, int64_t step);  // without a graph
  void run_timed(const StokerRun& run);                   // for the profile
  void run_graphs(const StokerRun& run);
  void launch_graph(size_t power, const StokerRun& run, int64_t done);
  CUgraphExec record(int64_t steps);
  void add(const StokerPointer& argument);
  void take_turns();  // orders calls that share state not visible in their arguments
  void encode(Encoder& encoder, const Call& call, size_t buffer);
  // Returns its last nodes; `previous`: those of the previous step if it may still be running.
  Recording::Nodes record_step(Recording& recording, Encoder& encoder, size_t buffer,
                               const Recording::Nodes& previous, const Recording::Nodes& start);
  void record_steps(Recording& recording, int64_t steps);
  bool encode_copies(Encoder& encoder, int64_t step, int64_t steps);
  void encode_staging(Encoder& encoder, size_t moving, int64_t step, int64_t steps);
  void bind(int64_t step);  // binds inputs to the slots of a step of a graph
  void bind_directly(const StokerRun& run, int64_t step);
  bool comes_at_once(size_t input) const;
  void load_staging() const;
  void set_bases(Encoder& encoder, const StokerRun& run, int64_t done);
  static void drop_graphs(Recorded& recorded);
  size_t largest_power() const;

  Gpu& gpu_;
  const StokerAllocator allocator_;
  std::vector<Call> calls_;
  int64_t most_calls_ = 0;  // maximum over the ranks, for programs that reduce over them
  std::array<std::vector<void*>, 2>
      arguments_;         // double buffer: alternate steps use the second one
  bool overlaps_ = true;  // one step may begin before the previous one ends
  std::vector<int64_t> argument_strides_;
  std::vector<Binding> bindings_;
  size_t inputs_ = 0;

  // The current one first: several alternating slots, or the arrays of a user's loop, each have
  // their own graphs.
  std::list<Recorded> recorded_;
  std::vector<CUdeviceptr> slots_;  // of the moving inputs
  std::vector<int64_t> slot_bytes_;
  CUdeviceptr bases_ = 0;  // their base addresses for the first step of a graph
};

}  // namespace stoker::cuda
