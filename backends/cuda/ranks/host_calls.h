#pragma once
#include <functional>

#include "ranks/communicator.h"

namespace stoker::cuda {

// Collectives on host memory through a GPU, for ranks that were started without MPI: small messages
// outside the steps, and the initial weights. They have a communicator and a stream of their own,
// so that they do not wait for the steps.
class HostCalls {
 public:
  HostCalls(const Gpu& gpu, int rank, int size, const NcclId& id);

  void all_reduce(const void* from, void* to, int64_t count, DType dtype);
  void all_gather(const void* from, void* to, uint64_t bytes);
  void broadcast(void* data, uint64_t bytes, int root);
  void barrier();

  const int rank, size;

 private:
  using Call = std::function<void(void* in, void* out, CUstream stream)>;
  void run(const void* from, uint64_t in_bytes, void* to, uint64_t out_bytes, const Call& call);
  CUresult poll() const;  // until the message is there

  const Gpu& gpu_;
  Communicator communicator_;
  CUstream stream_ = nullptr;
  CUevent done_ = nullptr;
  CUdeviceptr memory_ = 0;
  char* pinned_ = nullptr;
};

}  // namespace stoker::cuda
