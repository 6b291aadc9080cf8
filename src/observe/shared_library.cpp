#include "observe/shared_library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace stoker::observe {
namespace {

std::vector<std::string> folders() {
  std::vector<std::string> list;
  const auto add = [&list](const char* variable, const std::string& behind) {
    std::istringstream values(std::getenv(variable) ? std::getenv(variable) : "");
    for (std::string folder; std::getline(values, folder, ':');)
      if (!folder.empty()) list.push_back(folder + behind + "/");
  };
  add("STOKER_CUDA_LIBRARIES", "");
  if (std::getenv("STOKER_CUDA_LIBRARIES_ONLY")) return list;  // tests of what is missing
  list.push_back("");                                          // wherever the system's loader looks
  add("CUDA_HOME", "/lib64");
  add("CUDA_PATH", "/lib64");
  list.insert(list.end(), {"/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"});
  return list;
}

}  // namespace

SharedLibrary::SharedLibrary(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    for (const std::string& folder : folders())
      if (open(folder + name)) return;
  if (failure_.empty()) failure_ = names.front() + " was not found";
}

bool SharedLibrary::open(const std::string& place) {
  handle_ = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) {
    const std::string why = dlerror();
    std::error_code ignored;
    const bool is_file = place.find('/') != place.npos && std::filesystem::exists(place, ignored);
    if (failure_.empty() || is_file) failure_ = why;
    return false;
  }
  link_map* map = nullptr;
  file_ = dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] ? map->l_name : place;
  return true;
}

void* SharedLibrary::symbol(const char* name) const {
  return handle_ ? dlsym(handle_, name) : nullptr;
}

}  // namespace stoker::observe
