#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "library.h"

namespace stoker::cuda {

// One GPU: its context, the stream everything runs on, and what kernels want to know of it.
struct Gpu {
  int32_t index = 0;
  CUdevice device = 0;
  CUcontext context = nullptr;     // null: planning only, there is no GPU (tests)
  CUstream stream = nullptr;       // everything is launched here
  CUstream copy_stream = nullptr;  // but copies to memory that nothing uses
  std::string name;
  int capability = 0;  // 90 is 9.0
  int multiprocessors = 0;
  int shared_memory = 0;  // bytes a block may have
  int64_t l2_bytes = 0;
  uint64_t memory = 0, context_bytes = 0;
  // Held by whoever uses the stream: what one thread launches must not get into what another one
  // records.
  std::shared_ptr<std::mutex> guard = std::make_shared<std::mutex>();
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

// Switches of the whole backend.
struct Settings {
  bool tf32, deterministic = false;
  // Where several implementations serve a node, by trying them out. STOKER_CUDA_CHOOSE_BY_TIME=0
  // takes the most promising one instead: quick to plan, and the same choice every time.
  bool choose_by_time;
};
// False where NVIDIA_TF32_OVERRIDE=0 forbids TF32: NVIDIA's libraries obey it, and so do we.
bool tf32_allowed();
Settings& settings();
bool chooses_by_time();

}  // namespace stoker::cuda
