#include "program.h"

#include <algorithm>
#include <utility>

#include "memory/copies.h"
#include "ranks/join.h"

namespace stoker::cuda {
namespace {

constexpr int64_t nodes_per_graph = 768;  // about 0.4 ms of empty kernels

}  // namespace

Program::Program(Gpu& gpu, std::span<const StokerCall> calls, const StokerAllocator& allocator)
    : gpu_(gpu), allocator_(allocator) {
  std::vector<std::shared_ptr<Function>> functions;
  std::string sums;
  for (const StokerCall& call : calls) {
    auto* kernel = static_cast<Kernel*>(call.kernel);
    overlaps_ = overlaps_ && call.second_workspace;
    calls_.push_back({kernel,
                      arguments_[0].size(),
                      {call.workspace, call.second_workspace},
                      {call.after, call.after + call.num_after},
                      {call.after_previous, call.after_previous + call.num_after_previous},
                      gpu_.profile->keep(call.name),
                      call.node});
    functions.insert(functions.end(), kernel->functions.begin(), kernel->functions.end());
    sums += kernel->sums;
    for (int32_t i = 0; i < call.num_arguments; ++i) add(call.arguments[i]);
  }
  slots_.resize(inputs_, 0);
  slot_bytes_.resize(inputs_, 0);
  std::sort(functions.begin(), functions.end());
  functions.erase(std::unique(functions.begin(), functions.end()), functions.end());
  compile_together(functions, gpu_);
  take_turns();
  most_calls_ = static_cast<int64_t>(calls_.size());
  if (!sums.empty()) most_calls_ = agree_on_step(sums, most_calls_);
}

void Program::add(const StokerPointer& pointer) {
  if (pointer.input >= 0) {
    bindings_.push_back({arguments_[0].size(), pointer.input});
    inputs_ = std::max(inputs_, static_cast<size_t>(pointer.input) + 1);
  }
  arguments_[0].push_back(pointer.address);
  arguments_[1].push_back(pointer.second_buffer ? pointer.second_buffer : pointer.address);
}

Program::~Program() {
  try {
    make_current(gpu_);
    finish(gpu_);
  } catch (const CudaError&) {  // the driver is shut down, or the GPU has failed
  }
  for (Recorded& recorded : recorded_) drop_graphs(recorded);
  for (CUdeviceptr slot : slots_) give(slot);
  give(bases_);
}

void Program::drop_graphs(Recorded& recorded) {
  for (CUgraphExec& graph : recorded.graphs)
    if (graph) driver().cuGraphExecDestroy(std::exchange(graph, nullptr));
}

// prepare() must not hold the guard: it allocates memory through the engine, which takes it.
void Program::run(const StokerRun& run) {
  if (run.steps <= 0) return;
  const GpuScope scope(gpu_);
  gpu_.run_ahead->hold_back();
  const Way way = prepare(run);
  const std::lock_guard lock(*gpu_.guard);
  gpu_.tickets->let_wait(gpu_.stream, run.after);
  enqueue(run, way);
  gpu_.run_ahead->ran(static_cast<int64_t>(calls_.size()), run.steps, gpu_.stream);
}

// Inputs at another address in every call are not worth capturing a graph, nor is a single call:
// launching it takes no longer than launching a graph.
Program::Way Program::prepare(const StokerRun& run) {
  if (gpu_.profile->is_on()) return Way::timed;
  if (is_whole()) return Way::whole;
  if (calls_.size() == 1 && run.steps == 1) return Way::directly;
  if (find(run)) return Way::by_graphs;
  adopt(pattern_of(run));
  const bool once = run.steps == 1 && recorded_.front().moving.empty();
  return once ? Way::directly : Way::by_graphs;
}

void Program::enqueue(const StokerRun& run, Way way) {
  switch (way) {
    case Way::by_graphs:
      return run_graphs(run);
    case Way::directly:
      return run_directly(run, 0);
    case Way::whole:
      return run_whole(run);
    case Way::timed:
      return run_timed(run);
  }
}

bool Program::matches(const Pattern& pattern, const StokerRun& run) const {
  for (size_t i = 0; i < inputs_; ++i) {
    const int64_t stride = run.strides ? run.strides[i] : 0;
    if (stride != pattern.strides[i] || (stride == 0 && run.inputs[i] != pattern.fixed[i]))
      return false;
  }
  return true;
}

bool Program::find(const StokerRun& run) {
  for (auto known = recorded_.begin(); known != recorded_.end(); ++known) {
    if (!matches(known->pattern, run)) continue;
    recorded_.splice(recorded_.begin(), recorded_, known);
    return true;
  }
  return false;
}

Program::Pattern Program::pattern_of(const StokerRun& run) const {
  Pattern pattern;
  for (size_t i = 0; i < inputs_; ++i) {
    const int64_t stride = run.strides ? run.strides[i] : 0;
    pattern.strides.push_back(stride);
    pattern.fixed.push_back(stride == 0 ? run.inputs[i] : nullptr);
  }
  return pattern;
}

void Program::run_whole(const StokerRun& run) {
  argument_strides_.resize(arguments_[0].size());
  for (const auto& [argument, input] : bindings_) {
    arguments_[0][argument] = run.inputs[input];
    argument_strides_[argument] = run.strides ? run.strides[input] : 0;
  }
  Encoder encoder(gpu_);
  calls_[0].kernel->encode_steps(encoder, arguments_[0].data(), argument_strides_.data(), run.steps,
                                 calls_[0].workspaces[0]);
}

void Program::bind_directly(const StokerRun& run, int64_t step) {
  for (const auto& [argument, input] : bindings_)
    arguments_[0][argument] =
        static_cast<char*>(run.inputs[input]) + (run.strides ? step * run.strides[input] : 0);
}

void Program::run_directly(const StokerRun& run, int64_t step) {
  bind_directly(run, step);
  Encoder encoder(gpu_);
  for (const Call& call : calls_) encode(encoder, call, 0);
}

void Program::run_timed(const StokerRun& run) {
  Profile& profile = *gpu_.profile;
  const auto timed = [&](const Call& call, auto body) {
    CUevent begun = profile.begin(gpu_.stream);
    body();
    profile.end(begun, gpu_.stream, call.name, call.node);
  };
  if (is_whole()) return timed(calls_[0], [&] { run_whole(run); });
  Encoder encoder(gpu_);
  for (int64_t step = 0; step < run.steps; ++step) {
    bind_directly(run, step);
    for (const Call& call : calls_) timed(call, [&] { encode(encoder, call, 0); });
  }
}

void Program::run_graphs(const StokerRun& run) {
  size_t power = largest_power();
  for (int64_t done = 0; done < run.steps; done += int64_t{1} << power) {
    while (run.steps - done < int64_t{1} << power) --power;
    launch_graph(power, run, done);
  }
}

size_t Program::largest_power() const {
  const auto nodes = most_calls_ + static_cast<int64_t>(recorded_.front().moving.size());
  size_t power = 0;
  while (power + 1 < recorded_.front().graphs.size() && (nodes << (power + 1)) <= nodes_per_graph)
    ++power;
  return power;
}

void Program::launch_graph(size_t power, const StokerRun& run, int64_t done) {
  Recorded& current = recorded_.front();
  CUgraphExec& graph = current.graphs[power];
  if (!graph) graph = record(int64_t{1} << power);
  Encoder encoder(gpu_);
  if (!current.moving.empty()) set_bases(encoder, run, done);
  check(driver().cuGraphLaunch(graph, gpu_.stream), "launching a step");
}

CUgraphExec Program::record(int64_t steps) {
  load_staging();  // loading a kernel is not allowed during capture
  for (const Call& call : calls_)
    for (const auto& function : call.kernel->functions) function->on(gpu_);
  Recording recording(gpu_);
  record_steps(recording, steps);
  return recording.finish();
}

}  // namespace stoker::cuda
