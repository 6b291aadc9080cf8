#pragma once
#include <vector>

#include "context.h"

namespace stoker::cuda {

// Captures what is enqueued on a GPU's stream into a graph, until finish() or destruction. By
// default each launch depends on the previous one; wait_for() sets other dependencies for the next
// ones.
class Recording {
 public:
  using Nodes = std::vector<CUgraphNode>;

  explicit Recording(const Gpu& gpu);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void wait_for(Nodes nodes);
  Nodes latest() const;  // the next launch would depend on these
  CUgraphExec finish();

 private:
  const Gpu& gpu_;
  bool open_ = true;
};

// During capture, for a kernel that waits itself: the next launch waits only until the previous
// kernels have begun (programmatic edges).
void start_next_early(const Gpu& gpu);

}  // namespace stoker::cuda
