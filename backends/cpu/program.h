#pragma once
#include <span>
#include <vector>

#include "device/backend_interface.h"
#include "kernel.h"

namespace stoker::cpu {

// A step as a list of calls with resolved pointers.
class Program {
 public:
  explicit Program(std::span<const StokerCall> calls);
  void run(const StokerRun& run);

 private:
  struct Call {
    Kernel* kernel;
    size_t first_argument;
    void* workspace;
    const char* name;
    int32_t node;
  };
  struct Binding {
    size_t argument;
    int32_t input;
  };
  void bind(const StokerRun& run, int64_t step);
  void run_calls();
  void run_calls_and_time_them();

  std::vector<Call> calls_;
  std::vector<void*> arguments_;
  std::vector<Binding> bindings_;  // arguments that are inputs of the step
};

}  // namespace stoker::cpu
