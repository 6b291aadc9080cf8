#include <algorithm>
#include <utility>

#include "kernel_source.h"
#include "program.h"

// Inputs that advance from step to step, and the slots they are copied to.
namespace stoker::cuda {
namespace {

constexpr size_t most_patterns = 8;       // each with its own graphs
constexpr int64_t most_inputs = 256;      // base addresses passed as arguments of one launch
constexpr int64_t small_bytes = 4 << 20;  // larger inputs are copied for one step at a time

struct Bases {
  const void* at[most_inputs];
};

Function& bases_function() {
  static const auto function = make_function(KernelSource("program/staging.cuh"), "set_bases");
  return *function;
}
Function& staging_function() {
  static const auto function = make_function(KernelSource("program/staging.cuh"), "stage");
  return *function;
}

}  // namespace

CUdeviceptr Program::take(int64_t bytes, const char* what) const {
  const auto wanted = static_cast<uint64_t>(std::max<int64_t>(bytes, 16));
  return reinterpret_cast<CUdeviceptr>(allocator_.take(allocator_.context, wanted, what));
}

void Program::give(CUdeviceptr memory) const {
  if (memory) allocator_.give(allocator_.context, reinterpret_cast<void*>(memory));
}

void Program::adopt(Pattern pattern) {
  Recorded fresh;
  for (size_t i = 0; i < inputs_; ++i)
    if (pattern.strides[i] != 0) fresh.moving.push_back(static_cast<int32_t>(i));
  if (static_cast<int64_t>(fresh.moving.size()) > most_inputs)
    throw CudaError(
        fmt::format("a step with {} inputs that change from batch to batch is more than "
                    "the {} this backend takes.",
                    fresh.moving.size(), most_inputs));
  fresh.pattern = std::move(pattern);
  if (recorded_.size() == most_patterns) {
    drop_graphs(recorded_.back());
    recorded_.pop_back();
  }
  recorded_.push_front(std::move(fresh));
  try {
    make_slots();
  } catch (const CudaError&) {
    recorded_.pop_front();  // until it has its memory
    throw;
  }
}

// For all steps of a graph at once if that is small and there is enough memory, else for one.
void Program::make_slots() {
  const Recorded& current = recorded_.front();
  if (current.moving.empty()) return;
  if (!bases_)
    bases_ = take(static_cast<int64_t>(inputs_ * sizeof(void*)), "the addresses of inputs");
  if (!bases_) throw CudaError("there is no memory for the addresses of a step's inputs.");
  for (const int32_t input : current.moving) {
    const auto i = static_cast<size_t>(input);
    const int64_t one = current.pattern.strides[i], all = one << largest_power();
    if (all <= small_bytes && grow_slot(i, all)) continue;
    if (!grow_slot(i, one))
      throw CudaError(fmt::format("there is no memory for an input slot of {} bytes.", one));
  }
}

// A slot that grows moves: graphs that copy to it are captured again.
bool Program::grow_slot(size_t input, int64_t bytes) {
  if (slot_bytes_[input] >= bytes) return true;
  const CUdeviceptr larger = take(bytes, "an input slot");
  if (!larger) return false;
  for (Recorded& recorded : recorded_)
    if (recorded.pattern.strides[input] != 0) drop_graphs(recorded);
  give(std::exchange(slots_[input], larger));
  slot_bytes_[input] = bytes;
  return true;
}

bool Program::comes_at_once(size_t input) const {
  return recorded_.front().pattern.strides[input] << largest_power() <= slot_bytes_[input];
}

void Program::load_staging() const {
  bases_function().on(gpu_);
  staging_function().on(gpu_);
}

void Program::set_bases(Encoder& encoder, const StokerRun& run, int64_t done) {
  const auto& [pattern, moving, graphs] = recorded_.front();
  Bases values{};
  for (size_t m = 0; m < moving.size(); ++m) {
    const auto i = static_cast<size_t>(moving[m]);
    values.at[m] = static_cast<const char*>(run.inputs[i]) + done * pattern.strides[i];
  }
  encoder.launch(bases_function(), {.blocks = 1, .threads = most_inputs}, bases_, values,
                 static_cast<int>(moving.size()));
}

void Program::bind(int64_t step) {
  const Pattern& pattern = recorded_.front().pattern;
  for (const auto& [argument, input] : bindings_) {
    const auto i = static_cast<size_t>(input);
    const int64_t stride = pattern.strides[i], ahead = comes_at_once(i) ? step * stride : 0;
    arguments_[0][argument] = arguments_[1][argument] =
        stride == 0 ? pattern.fixed[i]
                    : reinterpret_cast<void*>(slots_[i] + static_cast<uint64_t>(ahead));
  }
}

// Copies the inputs that this step reads from a slot; false: the first step has copied all of them.
bool Program::encode_copies(Encoder& encoder, int64_t step, int64_t steps) {
  const std::vector<int32_t>& moving = recorded_.front().moving;
  bool copies = false;
  for (size_t m = 0; m < moving.size(); ++m) {
    const bool at_once = comes_at_once(static_cast<size_t>(moving[m]));
    if (at_once && step > 0) continue;
    encode_staging(encoder, m, step, at_once ? steps : 1);
    copies = true;
  }
  return copies;
}

void Program::encode_staging(Encoder& encoder, size_t moving, int64_t step, int64_t steps) {
  const Recorded& current = recorded_.front();
  const auto i = static_cast<size_t>(current.moving[moving]);
  const int64_t stride = current.pattern.strides[i], bytes = steps * stride;
  encoder.launch(staging_function(),
                 {.blocks = blocks_for(bytes / 16, 256, 4 * gpu_.multiprocessors)},
                 bases_ + moving * sizeof(void*), step * stride, slots_[i], bytes);
}

}  // namespace stoker::cuda
