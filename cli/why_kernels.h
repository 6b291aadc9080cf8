#pragma once
#include <string>
#include <vector>

#include "stoker/config.h"

namespace stoker::cli {

// Kernel statistics from inside a command, by CUPTI in a library that the CUDA driver loads into it
// (inject/): two seconds in sixty.
class KernelWindows {
 public:
  KernelWindows();  // throws if the library is not in the program's folder
  ~KernelWindows();
  KernelWindows(const KernelWindows&) = delete;
  KernelWindows& operator=(const KernelWindows&) = delete;

  std::vector<std::string> variables() const;  // for the command's environment
  Config to_config() const;                    // what is known so far
  static std::string to_text(const Config& windows);

 private:
  std::string library_, file_;
};

// Lines of JSON written by the library, one per window. A truncated last line is ignored.
Config sum_windows(const std::string& lines);

}  // namespace stoker::cli
