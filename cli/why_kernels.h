#pragma once
#include <string>
#include <vector>

#include "stoker/config.h"

namespace stoker::cli {

// What CUPTI tells from inside a command, by a library that the CUDA driver loads into it
// (inject/): two seconds in sixty.
class KernelWindows {
 public:
  KernelWindows();  // throws where the library is not beside the program
  ~KernelWindows();
  KernelWindows(const KernelWindows&) = delete;
  KernelWindows& operator=(const KernelWindows&) = delete;

  std::vector<std::string> variables() const;  // of the command's environment
  Config to_config() const;                    // what is known so far
  static std::string to_text(const Config& windows);

 private:
  std::string library_, file_;
};

// Lines of JSON, as the library writes them, one a window. What is cut off at the end is passed
// over.
Config sum_windows(const std::string& lines);

}  // namespace stoker::cli
