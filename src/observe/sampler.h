#pragma once
#include <map>
#include <string>
#include <vector>

#include "observe/proc.h"
#include "observe/sample.h"

namespace stoker::observe {

double seconds_now();  // on a monotonic clock

// Samples one process tree. Open files, which are slow to find, are looked up once a second.
class Sampler {
 public:
  explicit Sampler(int64_t pid, std::string root = "");
  Sample take(const std::vector<GpuSample>& gpus);  // no processes: the tree has ended
  const Proc& proc() const { return proc_; }

 private:
  bool looks_up_files(double now);

  int64_t pid_;
  Proc proc_;
  double next_lookup_ = 0;
  std::map<int64_t, std::vector<int64_t>> gpu_files_;
  std::map<int64_t, bool> files_hidden_;
  std::vector<GpuProcess> others_;
};

}  // namespace stoker::observe
