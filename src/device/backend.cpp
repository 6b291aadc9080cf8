#include "device/backend.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "device/backend_entries.h"
#include "device/plugin_file.h"
#include "device/switches.h"
#include "stoker/error.h"

namespace stoker::device {
namespace {

// The known backends first, then all others found in the plugin folders.
std::vector<std::string> backend_names() {
  std::vector<std::string> names = {"cpu", "cuda"};
  std::set<std::string> others;
  constexpr std::string_view prefix = "libstoker_", suffix = ".so";
  for (const auto& folder : plugin_folders()) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      const std::string file = entry.path().filename().string();
      if (file.starts_with(prefix) && file.ends_with(suffix))
        others.insert(file.substr(prefix.size(), file.size() - prefix.size() - suffix.size()));
    }
  }
  for (const std::string& name : names) others.erase(name);
  others.erase("mpi");  // the collectives of distribution/, no backend
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
    throw DeviceError(
        fmt::format("{} has interface version {}, but this program needs version {}.", path,
                    table ? std::to_string(table->interface_version) : "unknown",
                    stoker_backend_interface),
        "build both from the same sources.");
  if (const std::string why = why_incomplete(*table); !why.empty())
    throw DeviceError(fmt::format("{} is not a complete backend: {}", path, why));
  return table;
}

}  // namespace

const Backend& load_backend(const std::string& name) {
  static std::mutex guard;
  // Never destroyed: other static objects may release a backend's memory during program exit.
  static auto& loaded = *new std::map<std::string, std::unique_ptr<Backend>>;
  const std::lock_guard lock(guard);
  auto& backend = loaded[name];
  if (!backend) {
    const auto [path, tried] = find_plugin(name);
    if (path.empty())
      throw DeviceError(
          fmt::format("backend \"{}\" was not found: none of {} exists.", name, tried),
          fmt::format("`make {}` builds it next to the programs in build; "
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
          {name, error.message(), error.hint(), !find_plugin(name).path.empty()});
    }
  }
  return found;
}

}  // namespace stoker::device
