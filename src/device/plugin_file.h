#pragma once
#include <string>
#include <vector>

namespace stoker::device {

// The folders in which plugins are searched: STOKER_BACKEND_PATH, the program's, the build's.
std::vector<std::string> plugin_folders();

struct PluginFile {
  std::string path, tried;  // an empty path: not found
};
PluginFile find_plugin(const std::string& name);  // libstoker_<name>.so

}  // namespace stoker::device
