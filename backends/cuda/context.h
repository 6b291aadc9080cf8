#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "libraries/library.h"
#include "memory/block_cache.h"
#include "memory/staging.h"
#include "profile.h"
#include "run_ahead.h"
#include "tickets.h"

namespace stoker::cuda {

inline constexpr int32_t most_gpus = 64;

// One GPU: its context, the stream on which everything runs, and its properties.
struct Gpu {
  int32_t index = 0;
  CUdevice device = 0;
  CUcontext context = nullptr;     // null: planning only, without a GPU (tests)
  CUstream stream = nullptr;       // everything is launched here
  CUstream copy_stream = nullptr;  // except asynchronous copies; never captured
  std::string name;
  int capability = 0;  // 90 is 9.0
  int multiprocessors = 0;
  bool has_clusters = false;   // thread block clusters
  bool has_libraries = false;  // supports cuBLASLt and cuDNN
  int shared_memory = 0;       // per block, in bytes
  int64_t l2_bytes = 0;
  uint64_t memory = 0, context_bytes = 0;
  // Held while enqueuing on the stream: launches of one thread must not get into another thread's
  // capture. To wait for the stream, record a ticket and wait for it without the guard.
  std::shared_ptr<std::mutex> guard = std::make_shared<std::mutex>();
  std::shared_ptr<BlockCache> blocks = std::make_shared<BlockCache>();
  std::shared_ptr<Tickets> tickets = std::make_shared<Tickets>();
  std::shared_ptr<Staging> staging = std::make_shared<Staging>();
  std::shared_ptr<RunAhead> run_ahead = std::make_shared<RunAhead>();
  mutable bool recording = false;  // is the stream being captured? Guarded by `guard`
  std::shared_ptr<Profile> profile = std::make_shared<Profile>();
};

int32_t gpu_count();       // usable ones
std::string why_no_gpu();  // "" if there is one
Gpu& gpu(int32_t index);   // initialised on first use; throws CudaError
void make_current(const Gpu& gpu);

// The GPU for which this thread plans.
const Gpu& current_gpu();
class GpuScope {
 public:
  explicit GpuScope(const Gpu& gpu);
  ~GpuScope();

 private:
  const Gpu* before_;
};

// Settings of the whole backend. The first two may change while other threads plan kernels.
struct Settings {
  std::atomic<bool> tf32, deterministic = false;
  // Benchmark the implementations if several support a node. STOKER_CUDA_CHOOSE_BY_TIME=0 takes the
  // most promising one instead: faster to plan, and always the same choice.
  bool choose_by_time;
  // Freed small blocks are cached for reuse. STOKER_CUDA_KEEP_BLOCKS=0 frees each immediately, so
  // that memory checkers see every allocation.
  bool keep_blocks;
};
// False if NVIDIA_TF32_OVERRIDE=0 forbids TF32, as for NVIDIA's libraries.
bool tf32_allowed();
Settings& settings();
bool chooses_by_time();

}  // namespace stoker::cuda
