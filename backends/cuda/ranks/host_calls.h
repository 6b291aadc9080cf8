#pragma once
#include <atomic>
#include <functional>
#include <memory>

#include "ranks/communicator.h"

namespace stoker::cuda {

// Collectives on host memory through a GPU, for ranks that were started without MPI: small messages
// outside the steps, and the initial weights. They have a communicator and a stream of their own,
// so that they do not wait for the steps.
class HostCalls {
 public:
  HostCalls(const Gpu& gpu, int rank, int size, const NcclId& id, double timeout_seconds);

  void all_reduce(const void* from, void* to, int64_t count, DType dtype);
  void all_gather(const void* from, void* to, uint64_t bytes);
  void broadcast(void* data, uint64_t bytes, int root);
  void barrier(bool without_limit);
  void set_step(int64_t step) { step_ = step; }
  std::string where() const;  // "rank 1 on host node7 in step 12"
  // Prints the error and terminates this process; the launcher terminates the others, or they time
  // out.
  [[noreturn]] void end(int status, const std::string& message);

  const int rank, size;

 private:
  using Call = std::function<void(void* in, void* out, CUstream stream)>;
  void run(const void* from, uint64_t in_bytes, void* to, uint64_t out_bytes, const Call& call);
  void wait();

  const Gpu& gpu_;
  Communicator communicator_;
  const double timeout_;
  bool has_limit_ = true;
  CUstream stream_ = nullptr;
  CUevent done_ = nullptr;
  CUdeviceptr memory_ = 0;
  char* pinned_ = nullptr;
  std::atomic<int64_t> step_ = -1;
  int64_t calls_ = 0;
};

}  // namespace stoker::cuda
