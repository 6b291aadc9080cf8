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
  std::string name, reason, hint = {};
  bool found = true;  // false: there is no such file
  std::string text() const { return reason + (hint.empty() ? "" : " Hint: " + hint); }
};

// Loads libstoker_<name>.so from STOKER_BACKEND_PATH, from the program's folder or from the build
// folder. Throws DeviceError with the reason if that fails.
const Backend& load_backend(const std::string& name);

// Every libstoker_<name>.so in those folders, and for known backends that are missing the reason.
struct Inventory {
  std::vector<const Backend*> loaded;
  std::vector<LoadFailure> failed;
};
Inventory inventory();

}  // namespace stoker::device
