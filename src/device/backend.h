#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/backend_interface.h"

namespace stoker::device {

// A loaded plugin. Never unloaded: buffers and programs may outlive any scope.
struct Backend {
  const StokerBackend* table;
  std::string path;
};

struct LoadFailure {
  std::string name, reason;
};

// Loads libstoker_<name>.so from STOKER_BACKEND_PATH, beside the program, or the build folder.
// Throws DeviceError saying exactly why not.
const Backend& load_backend(const std::string& name);

// Every backend that is known by name; those that did not load say why.
struct Inventory {
  std::vector<const Backend*> loaded;
  std::vector<LoadFailure> failed;
};
Inventory inventory();

// One device of a backend: where memory lives and steps run.
struct Device {
  const Backend* backend;
  int32_t index = 0;
  const StokerBackend& table() const { return *backend->table; }
  StokerDevice describe() const;
  std::string name() const;  // "/cpu:0"
  bool operator==(const Device&) const = default;
};
Device default_device();

// Throws DeviceError with the backend's own sentence unless status is 0.
void check(const Device& device, int32_t status, const char* doing);

}  // namespace stoker::device
