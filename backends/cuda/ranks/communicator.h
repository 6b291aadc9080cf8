#pragma once
#include "context.h"
#include "libraries/nccl.h"
#include "ranks/wait_limit.h"

namespace stoker::cuda {

// A GPU's place in a group of ranks that reduce on their GPUs by NCCL. All ranks make the same
// calls in the same order. Calls enqueued on a stream that is being captured become part of the
// graph; a communicator must outlive the graphs that contain it.
class Communicator {
 public:
  // Called by all ranks at the same time; throws CudaError.
  Communicator(const Gpu& gpu, int rank, int size, const NcclId& id);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  const Gpu& gpu() const { return gpu_; }
  int size() const { return size_; }
  void all_reduce(const void* from, void* to, int64_t count, DType dtype, CUstream stream) const;
  void all_gather(const void* from, void* to, uint64_t bytes, CUstream stream) const;
  void broadcast(const void* from, void* to, uint64_t bytes, int root, CUstream stream) const;
  void abort();  // aborts calls that wait for other ranks

 private:
  const Gpu& gpu_;
  const int size_;
  NcclComm comm_ = nullptr;
};

// Calls that NCCL fuses into one kernel.
class NcclGroup {
 public:
  NcclGroup() { check(nccl().group_start(), "beginning a group of sums"); }
  // After an exception: otherwise the thread's later calls would wait for the group's end. NCCL
  // drops the calls of a group in which one has failed.
  ~NcclGroup() {
    if (is_open_) leave();
  }
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;
  void end() { check(leave(), "adding over the ranks"); }

 private:
  NcclResult leave() {
    is_open_ = false;
    const GpuWait wait;
    return nccl().group_end();
  }
  bool is_open_ = true;
};

// The reason why NCCL does not support this GPU; "": it does.
std::string why_no_nccl(const Gpu& gpu);

}  // namespace stoker::cuda
