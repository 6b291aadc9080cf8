#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stoker/config.h"

// Why does a program leave the GPU idle? For any running process: it is observed from outside,
// through /proc and NVML, without root and without changing it.
namespace stoker {

struct WhyCause {
  std::string cause;  // "few_workers", as in docs/why.md
  std::string sentence, remedy;
  std::vector<std::pair<std::string, std::string>> evidence;  // figure → value as text
  std::optional<double> at_most;                              // an upper bound of the speed-up
};

struct WhyAnswer {
  std::string subject;             // the process, the machine, the observation time
  std::vector<std::string> notes;  // what could not be observed, and why
  std::vector<WhyCause> causes;    // the first is the answer
  Config figures;                  // all measurements
  std::string to_string() const;
  Config to_config() const;
};

class ProcessWatch {
 public:
  explicit ProcessWatch(int64_t pid);  // throws InvalidArgument if there is no such process
  ~ProcessWatch();
  ProcessWatch(ProcessWatch&&) noexcept;
  bool sample();             // false: the process has ended
  WhyAnswer answer() const;  // throws InvalidArgument if it ended before anything was observed
  void save(const std::string& path) const;  // the samples, for why_recorded

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same from samples written by ProcessWatch::save.
WhyAnswer why_recorded(const std::string& path);
// Simulated recordings of three programs on a GPU, for machines without one.
std::vector<WhyAnswer> why_demo();

// One line of `stoker top`: a process and the GPU that it uses.
struct TopRow {
  int64_t gpu = -1;  // -1: none
  std::string gpu_name;
  int64_t pid = 0;  // 0: the GPU is unused
  std::string process;
  std::optional<double> gpu_busy, sm_active, gpu_memory, gpu_memory_total;
  double cores_used = 0, resident_bytes = 0;
  std::string cause, reason;
};

// Observes every process that uses a GPU; without a GPU, the processes that use most of the CPU.
class TopWatch {
 public:
  TopWatch();
  ~TopWatch();
  void sample();
  std::vector<TopRow> rows() const;  // of the latest samples
  std::string no_gpu() const;        // why no GPU is observed; "": some are

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stoker
