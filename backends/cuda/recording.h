#pragma once
#include <vector>

#include "context.h"

namespace stoker::cuda {

// Records what is enqueued on a GPU's stream into a graph, until finish() or its end. By default
// each launch depends on the one before it; wait_for() sets other dependencies for the next ones.
class Recording {
 public:
  using Nodes = std::vector<CUgraphNode>;

  explicit Recording(const Gpu& gpu);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void wait_for(Nodes nodes);
  Nodes latest() const;  // whatever comes next would wait for these
  CUgraphExec finish();

 private:
  const Gpu& gpu_;
  bool open_ = true;
};

// While the stream is recording, for a kernel that waits by itself: the next launch waits only for
// the kernels before it to have begun.
void start_next_early(const Gpu& gpu);

}  // namespace stoker::cuda
