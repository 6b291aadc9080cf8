#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace stoker {

// A device that steps can run on.
struct DeviceInfo {
  std::string name;   // "/cpu:0"
  std::string kind;   // "CPU", "GPU"
  std::string model;  // what the maker calls it
  std::string detail;
  std::string backend, backend_file;
  int64_t cores = 0, memory = 0, memory_free = 0;  // bytes
};

struct BackendFailure {
  std::string backend, reason;
};

struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::vector<BackendFailure> failed;  // backends that did not load, each with the exact reason
};
DeviceList list_devices();

}  // namespace stoker
