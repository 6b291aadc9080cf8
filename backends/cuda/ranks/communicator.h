#pragma once
#include "context.h"
#include "libraries/nccl.h"

namespace stoker::cuda {

// A GPU's place in a group of ranks that add on their GPUs, by NCCL. All ranks make the same calls
// in the same order. What is enqueued on a stream that records becomes a part of the graph; a
// communicator must outlive the graphs that have it in them.
class Communicator {
 public:
  // Every rank at the same time; throws CudaError.
  Communicator(const Gpu& gpu, int rank, int size, const NcclId& id);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  const Gpu& gpu() const { return gpu_; }
  int size() const { return size_; }
  void all_reduce(const void* from, void* to, int64_t count, DType dtype, CUstream stream) const;
  void all_gather(const void* from, void* to, uint64_t bytes, CUstream stream) const;
  void broadcast(const void* from, void* to, uint64_t bytes, int root, CUstream stream) const;
  void abort();  // ends what waits for other ranks

 private:
  const Gpu& gpu_;
  const int size_;
  NcclComm comm_ = nullptr;
};

// Calls that travel together, as one kernel.
class NcclGroup {
 public:
  NcclGroup() { check(nccl().group_start(), "beginning a group of sums"); }
  void end() { check(nccl().group_end(), "adding over the ranks"); }
};

// Why NCCL cannot serve this GPU, in a sentence; "": it can.
std::string why_no_nccl(const Gpu& gpu);

}  // namespace stoker::cuda
