#include "device/backend.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "device/backend_entries.h"
#include "device/switches.h"
#include "stoker/error.h"

namespace stoker::device {
namespace {

std::vector<std::string> search_folders() {
  std::vector<std::string> folders;
  if (const char* path = std::getenv("STOKER_BACKEND_PATH")) folders.emplace_back(path);
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (!ignored) folders.push_back(program.parent_path().string());
  if (std::find(folders.begin(), folders.end(), STOKER_PLUGIN_DIR) == folders.end())
    folders.emplace_back(STOKER_PLUGIN_DIR);
  return folders;
}

struct Found {
  std::string path, tried;  // an empty path: not found
};
Found find_library(const std::string& name) {
  Found found;
  for (const auto& folder : search_folders()) {
    const std::string path = fmt::format("{}/libstoker_{}.so", folder, name);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return {path, {}};
    found.tried += (found.tried.empty() ? "" : ", ") + path;
  }
  return found;
}

// The known ones first, then whatever else lies in the folders.
std::vector<std::string> backend_names() {
  std::vector<std::string> names = {"cpu", "cuda"};
  std::set<std::string> others;
  constexpr std::string_view prefix = "libstoker_", suffix = ".so";
  for (const auto& folder : search_folders()) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      const std::string file = entry.path().filename().string();
      if (file.starts_with(prefix) && file.ends_with(suffix))
        others.insert(file.substr(prefix.size(), file.size() - prefix.size() - suffix.size()));
    }
  }
  for (const std::string& name : names) others.erase(name);
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

const StokerBackend* open(const std::string& name, const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw DeviceError(fmt::format("backend \"{}\" did not load: {}.", name, dlerror()));
  auto entry = reinterpret_cast<StokerBackendEntry>(dlsym(library, "stoker_backend"));
  if (!entry)
    throw DeviceError(fmt::format("{} is not a Stoker backend: it has no stoker_backend().", path));
  const StokerBackend* table = entry(stoker_backend_interface);
  if (!table || table->interface_version != stoker_backend_interface)
    throw DeviceError(fmt::format("{} speaks interface version {}, this program version {}.", path,
                                  table ? std::to_string(table->interface_version) : "unknown",
                                  stoker_backend_interface),
                      "build both from the same sources.");
  if (const std::string why = why_incomplete(*table); !why.empty())
    throw DeviceError(fmt::format("{} is no whole backend: {}", path, why));
  return table;
}

}  // namespace

const Backend& load_backend(const std::string& name) {
  static std::mutex guard;
  // Never destroyed: what other static objects hold of a backend is released after this is gone.
  static auto& loaded = *new std::map<std::string, std::unique_ptr<Backend>>;
  const std::lock_guard lock(guard);
  auto& backend = loaded[name];
  if (!backend) {
    const auto [path, tried] = find_library(name);
    if (path.empty())
      throw DeviceError(fmt::format("backend \"{}\" is not there: none of {} exists.", name, tried),
                        fmt::format("`make {}` builds it beside the programs in build; "
                                    "STOKER_BACKEND_PATH can name its folder to others.",
                                    name));
    backend = std::make_unique<Backend>(Backend{open(name, path), path});
    configure_by_switches(*backend->table);
  }
  return *backend;
}

Inventory inventory() {
  Inventory found;
  for (const std::string& name : backend_names()) {
    try {
      found.loaded.push_back(&load_backend(name));
    } catch (const DeviceError& error) {
      found.failed.push_back(
          {name, error.message(), error.hint(), !find_library(name).path.empty()});
    }
  }
  return found;
}

}  // namespace stoker::device
