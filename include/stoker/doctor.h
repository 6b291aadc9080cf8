#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "stoker/config.h"

namespace stoker {

// One line of `stoker doctor`.
struct Finding {
  enum class State { ok, warning, wrong };
  std::string name;  // "driver", "cuDNN", "PyTorch" …
  State state = State::ok;
  std::string text;
  std::string mend;  // the command that fixes it; "" if there is nothing to fix
};

struct DoctorArgs {
  bool measure = true;      // copy and disk bandwidth: takes some seconds
  bool frameworks = true;   // ask Python whether its frameworks see the GPU
  std::string python = "";  // "": that of VIRTUAL_ENV or CONDA_PREFIX, else python3
  std::string root = "";    // folder that stands for / in tests: its /proc, /sys, /dev are read
  int64_t user = -1;        // whose permissions count; -1: this process's
};

std::vector<Finding> doctor(const DoctorArgs& args = {});
const char* name_of(Finding::State state);
std::string to_string(const std::vector<Finding>& findings);
Config to_config(const std::vector<Finding>& findings);

}  // namespace stoker
