#include "device/plugin_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace stoker::device {

std::vector<std::string> plugin_folders() {
  std::vector<std::string> folders;
  if (const char* path = std::getenv("STOKER_BACKEND_PATH")) folders.emplace_back(path);
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (!ignored) folders.push_back(program.parent_path().string());
  if (std::find(folders.begin(), folders.end(), STOKER_PLUGIN_DIR) == folders.end())
    folders.emplace_back(STOKER_PLUGIN_DIR);
  return folders;
}

PluginFile find_plugin(const std::string& name) {
  PluginFile found;
  for (const auto& folder : plugin_folders()) {
    const std::string path = fmt::format("{}/libstoker_{}.so", folder, name);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return {path, {}};
    found.tried += (found.tried.empty() ? "" : ", ") + path;
  }
  return found;
}

}  // namespace stoker::device
