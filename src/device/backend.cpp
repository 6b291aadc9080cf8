#include "device/backend.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

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

std::string find_library(const std::string& name) {
  std::string tried;
  for (const auto& folder : search_folders()) {
    const std::string path = fmt::format("{}/libstoker_{}.so", folder, name);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
    tried += (tried.empty() ? "" : ", ") + path;
  }
  throw DeviceError(fmt::format("backend \"{}\" is not there: none of {} exists.", name, tried),
                    "build it, or set STOKER_BACKEND_PATH to the folder that holds it.");
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
    const std::string path = find_library(name);
    backend = std::make_unique<Backend>(Backend{open(name, path), path});
  }
  return *backend;
}

Inventory inventory() {
  Inventory found;
  for (const char* name : {"cpu", "cuda"}) {
    try {
      found.loaded.push_back(&load_backend(name));
    } catch (const DeviceError& error) {
      found.failed.push_back({name, error.what()});
    }
  }
  return found;
}

StokerDevice Device::describe() const {
  StokerDevice described{};
  check(*this, table().describe(index, &described), "describing the device");
  return described;
}

std::string Device::name() const { return fmt::format("/{}:{}", table().name, index); }

Device default_device() {
  static const Device cpu{&load_backend("cpu"), 0};
  return cpu;
}

void check(const Device& device, int32_t status, const char* doing) {
  if (status != 0)
    throw DeviceError(fmt::format("{}: {}: {}", device.name(), doing, device.table().last_error()));
}

}  // namespace stoker::device
