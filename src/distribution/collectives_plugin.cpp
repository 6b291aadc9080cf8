#include "distribution/collectives_plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "stoker/error.h"

namespace stoker::distribution {

const StokerCollectives* collectives_in(const std::string& path, int flags) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | flags);
  if (!library)
    throw DeviceError(fmt::format("{} did not load: {}.", path, dlerror()),
                      "install MPI (Debian: apt-get install openmpi-bin).");
  auto entry = reinterpret_cast<StokerCollectivesEntry>(dlsym(library, "stoker_collectives"));
  if (!entry) return nullptr;
  const StokerCollectives* const table = entry(stoker_collectives_interface);
  if (!table || table->interface_version != stoker_collectives_interface)
    throw DeviceError(fmt::format("{} has no stoker_collectives() of version {}.", path,
                                  stoker_collectives_interface),
                      "build both from the same sources.");
  return table;
}

}  // namespace stoker::distribution
