#include "program.h"

#include <algorithm>
#include <utility>

namespace stoker::cuda {
namespace {

constexpr int64_t nodes_per_graph = 768;  // about 0.4 ms of empty kernels
constexpr int64_t most_inputs = 256;      // bases that travel as arguments of one launch
constexpr int64_t small_bytes = 4 << 20;  // of an input that is copied for many steps at once

// Kernels of the program's own: bases arrive as arguments, so nothing on the host must outlive the
// launch; each moving input is copied from its base plus its steps' strides.
const char* const staging_text = R"cuda(
struct Bases { const char* at[256]; };
extern "C" __global__ void set_bases(const char** bases, Bases values, int count) {
  if (threadIdx.x < count) bases[threadIdx.x] = values.at[threadIdx.x];
}
extern "C" __global__ void stage(const char* const* base, int64_t offset, char* to, int64_t bytes) {
  const char* from = *base + offset;
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x, n = gridDim.x * int64_t(blockDim.x);
  if (((uint64_t)from | (uint64_t)to | (uint64_t)bytes) % 16 == 0) {
    for (; i < bytes / 16; i += n) ((int4*)to)[i] = ((const int4*)from)[i];
  } else {
    for (; i < bytes; i += n) to[i] = from[i];
  }
}
)cuda";

struct Bases {
  const void* at[most_inputs];
};

Function& bases_function() {
  static const auto function = make_function(staging_text, "set_bases");
  return *function;
}
Function& staging_function() {
  static const auto function = make_function(staging_text, "stage");
  return *function;
}

CUdeviceptr take(uint64_t bytes, const char* what) {
  CUdeviceptr memory = 0;
  check(driver().cuMemAlloc(&memory, std::max<uint64_t>(bytes, 16)), what);
  return memory;
}

}  // namespace

Program::Program(Gpu& gpu, std::span<const StokerCall> calls) : gpu_(gpu) {
  std::vector<std::shared_ptr<Function>> functions;
  for (const StokerCall& call : calls) {
    auto* kernel = static_cast<Kernel*>(call.kernel);
    overlaps_ = overlaps_ && call.twin_workspace;
    calls_.push_back({kernel,
                      arguments_[0].size(),
                      {call.workspace, call.twin_workspace},
                      {call.after, call.after + call.num_after},
                      {call.after_previous, call.after_previous + call.num_after_previous}});
    functions.insert(functions.end(), kernel->functions.begin(), kernel->functions.end());
    for (int32_t i = 0; i < call.num_arguments; ++i) add(call.arguments[i]);
  }
  std::sort(functions.begin(), functions.end());
  functions.erase(std::unique(functions.begin(), functions.end()), functions.end());
  compile_together(functions, gpu_);
  take_turns();
  for (CUevent& event : finished_)
    check(driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "creating an event");
}

void Program::add(const StokerPointer& pointer) {
  if (pointer.input >= 0) {
    bindings_.push_back({arguments_[0].size(), pointer.input});
    inputs_ = std::max(inputs_, static_cast<size_t>(pointer.input) + 1);
  }
  arguments_[0].push_back(pointer.address);
  arguments_[1].push_back(pointer.twin ? pointer.twin : pointer.address);
}

Program::~Program() {
  try {
    make_current(gpu_);
  } catch (const CudaError&) {
    return;
  }
  driver().cuStreamSynchronize(gpu_.stream);
  drop_graphs();
  for (CUdeviceptr slot : slots_) driver().cuMemFree(slot);
  if (bases_) driver().cuMemFree(bases_);
  for (CUevent event : finished_)
    if (event) driver().cuEventDestroy(event);
}

void Program::drop_graphs() {
  for (CUgraphExec& graph : graphs_)
    if (graph) driver().cuGraphExecDestroy(std::exchange(graph, nullptr));
}

void Program::run(const StokerRun& run) {
  if (run.steps <= 0) return;
  make_current(gpu_);
  hold_back();
  if (calls_.size() == 1 && calls_[0].kernel->runs_many_steps())
    run_whole(run);
  else if (matches(run))
    run_graphs(run);
  else
    run_new(pattern_of(run), run);
  check(driver().cuEventRecord(finished_[runs_ % 2], gpu_.stream), "marking the end of a run");
  ++runs_;
}

// Inputs that lie somewhere else at every call are no reason to record anything.
void Program::run_new(const Pattern& pattern, const StokerRun& run) {
  adopt(pattern);
  if (run.steps == 1 && moving_.empty())
    run_directly(run);
  else
    run_graphs(run);
}

void Program::hold_back() {
  if (runs_ >= 2)
    check(driver().cuEventSynchronize(finished_[runs_ % 2]), "waiting for an earlier step");
}

bool Program::matches(const StokerRun& run) const {
  if (!seen_) return false;
  for (size_t i = 0; i < inputs_; ++i) {
    const int64_t stride = run.strides ? run.strides[i] : 0;
    if (stride != pattern_.strides[i] || (stride == 0 && run.inputs[i] != pattern_.fixed[i]))
      return false;
  }
  return true;
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

void Program::adopt(const Pattern& pattern) {
  const auto moving = std::count_if(pattern.strides.begin(), pattern.strides.end(),
                                    [](int64_t stride) { return stride != 0; });
  if (moving > most_inputs)
    throw CudaError(
        fmt::format("a step with {} inputs that change from batch to batch is more than "
                    "the {} this backend takes.",
                    moving, most_inputs));
  if (seen_ && pattern == pattern_) return;
  drop_graphs();
  seen_ = false;  // until it has its memory
  pattern_ = pattern;
  moving_.clear();
  for (size_t i = 0; i < inputs_; ++i)
    if (pattern.strides[i] != 0) moving_.push_back(static_cast<int32_t>(i));
  if (!moving_.empty()) make_slots();
  seen_ = true;
}

void Program::make_slots() {
  if (!bases_) bases_ = take(most_inputs * sizeof(void*), "allocating room for input addresses");
  slots_.resize(inputs_, 0);
  slot_bytes_.resize(inputs_, 0);
  for (const int32_t input : moving_) {
    const auto i = static_cast<size_t>(input);
    const int64_t bytes = pattern_.strides[i] << (comes_at_once(i) ? largest_power() : 0);
    if (slot_bytes_[i] >= bytes) continue;
    slot_bytes_[i] = 0;
    if (const CUdeviceptr smaller = std::exchange(slots_[i], 0))
      check(driver().cuMemFree(smaller), "releasing an input slot");
    slots_[i] = take(static_cast<uint64_t>(bytes), "allocating an input slot");
    slot_bytes_[i] = bytes;
  }
}

bool Program::comes_at_once(size_t input) const {
  return pattern_.strides[input] << largest_power() <= small_bytes;
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

void Program::run_directly(const StokerRun& run) {
  for (const auto& [argument, input] : bindings_) arguments_[0][argument] = run.inputs[input];
  Encoder encoder(gpu_);
  for (const Call& call : calls_) encode(encoder, call, 0);
}

void Program::run_graphs(const StokerRun& run) {
  size_t power = largest_power();
  for (int64_t done = 0; done < run.steps; done += int64_t{1} << power) {
    while (run.steps - done < int64_t{1} << power) --power;
    launch_graph(power, run, done);
  }
}

size_t Program::largest_power() const {
  const auto nodes = static_cast<int64_t>(calls_.size() + moving_.size());
  size_t power = 0;
  while (power + 1 < graphs_.size() && (nodes << (power + 1)) <= nodes_per_graph) ++power;
  return power;
}

void Program::launch_graph(size_t power, const StokerRun& run, int64_t done) {
  CUgraphExec& graph = graphs_[power];
  if (!graph) graph = record(int64_t{1} << power);
  Encoder encoder(gpu_);
  if (!moving_.empty()) set_bases(encoder, run, done);
  check(driver().cuGraphLaunch(graph, gpu_.stream), "launching a step");
}

void Program::set_bases(Encoder& encoder, const StokerRun& run, int64_t done) {
  Bases values{};
  for (size_t m = 0; m < moving_.size(); ++m) {
    const auto i = static_cast<size_t>(moving_[m]);
    values.at[m] = static_cast<const char*>(run.inputs[i]) + done * pattern_.strides[i];
  }
  encoder.launch(bases_function(), {.blocks = 1, .threads = most_inputs}, bases_, values,
                 static_cast<int>(moving_.size()));
}

void Program::bind(int64_t step) {
  for (const auto& [argument, input] : bindings_) {
    const auto i = static_cast<size_t>(input);
    const int64_t stride = pattern_.strides[i], ahead = comes_at_once(i) ? step * stride : 0;
    arguments_[0][argument] = arguments_[1][argument] =
        stride == 0 ? pattern_.fixed[i]
                    : reinterpret_cast<void*>(slots_[i] + static_cast<uint64_t>(ahead));
  }
}

CUgraphExec Program::record(int64_t steps) {
  bases_function().on(gpu_);  // loading a kernel is not allowed while recording
  staging_function().on(gpu_);
  for (const Call& call : calls_)
    for (const auto& function : call.kernel->functions) function->on(gpu_);
  Recording recording(gpu_);
  record_steps(recording, steps);
  return recording.finish();
}

// Inputs that this step finds in a slot; false: it finds all of them where the first one put them.
bool Program::encode_copies(Encoder& encoder, int64_t step, int64_t steps) {
  bool copies = false;
  for (size_t m = 0; m < moving_.size(); ++m) {
    const bool at_once = comes_at_once(static_cast<size_t>(moving_[m]));
    if (at_once && step > 0) continue;
    encode_staging(encoder, m, step, at_once ? steps : 1);
    copies = true;
  }
  return copies;
}

void Program::encode_staging(Encoder& encoder, size_t moving, int64_t step, int64_t steps) {
  const auto i = static_cast<size_t>(moving_[moving]);
  const int64_t stride = pattern_.strides[i], bytes = steps * stride;
  encoder.launch(staging_function(),
                 {.blocks = blocks_for(bytes / 16, 256, 4 * gpu_.multiprocessors)},
                 bases_ + moving * sizeof(void*), step * stride, slots_[i], bytes);
}

}  // namespace stoker::cuda
