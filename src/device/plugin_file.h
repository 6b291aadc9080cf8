#pragma once
#include <string>
#include <vector>

namespace stoker::device {

// Where plugins are looked for: STOKER_BACKEND_PATH, beside the program, the build folder.
std::vector<std::string> plugin_folders();

struct PluginFile {
  std::string path, tried;  // an empty path: not found
};
PluginFile find_plugin(const std::string& name);  // libstoker_<name>.so

}  // namespace stoker::device
