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

// One GPU: its context, the stream everything runs on, and what kernels want to know of it.
struct Gpu {
  int32_t index = 0;
  CUdevice device = 0;
  CUcontext context = nullptr;     // null: planning only, there is no GPU (tests)
  CUstream stream = nullptr;       // everything is launched here
  CUstream copy_stream = nullptr;  // but copies beside it; nobody records here
  std::string name;
  int capability = 0;  // 90 is 9.0
  int multiprocessors = 0;
  bool has_clusters = false;   // of blocks, in one launch
  bool has_libraries = false;  // cuBLASLt and cuDNN run on it
  int shared_memory = 0;       // bytes a block may have
  int64_t l2_bytes = 0;
  uint64_t memory = 0, context_bytes = 0;
  // Held by whoever enqueues on the stream: what one thread launches must not get into what another
  // one records. To wait for the stream, record a ticket and wait for that without the guard.
  std::shared_ptr<std::mutex> guard = std::make_shared<std::mutex>();
  std::shared_ptr<BlockCache> blocks = std::make_shared<BlockCache>();
  std::shared_ptr<Tickets> tickets = std::make_shared<Tickets>();
  std::shared_ptr<Staging> staging = std::make_shared<Staging>();
  std::shared_ptr<RunAhead> run_ahead = std::make_shared<RunAhead>();
  mutable bool recording = false;  // what is launched on the stream; whoever holds the guard knows
  std::shared_ptr<Profile> profile = std::make_shared<Profile>();
};

int32_t gpu_count();       // of those that can be used
std::string why_no_gpu();  // "" if there is one
Gpu& gpu(int32_t index);   // made at the first use; throws CudaError
void make_current(const Gpu& gpu);

// The GPU that planners plan for, on this thread.
const Gpu& current_gpu();
class GpuScope {
 public:
  explicit GpuScope(const Gpu& gpu);
  ~GpuScope();

 private:
  const Gpu* before_;
};

// Switches of the whole backend. The first two change while other threads plan kernels.
struct Settings {
  std::atomic<bool> tf32, deterministic = false;
  // Where several implementations serve a node, by trying them out. STOKER_CUDA_CHOOSE_BY_TIME=0
  // takes the most promising one instead: quick to plan, and the same choice every time.
  bool choose_by_time;
  // Small blocks of memory are kept for the next one of their size. STOKER_CUDA_KEEP_BLOCKS=0 gives
  // each back at once, so that a tool which checks memory sees every owner.
  bool keep_blocks;
};
// False where NVIDIA_TF32_OVERRIDE=0 forbids TF32: NVIDIA's libraries obey it, and so do we.
bool tf32_allowed();
Settings& settings();
bool chooses_by_time();

}  // namespace stoker::cuda
