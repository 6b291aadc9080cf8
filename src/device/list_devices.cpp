#include <fmt/format.h>

#include <cstdlib>

#include "device/registry.h"
#include "stoker/error.h"

namespace stoker {

// Initialises the devices: meant for display, at the end of a run or instead of one.
DeviceList list_devices() {
  auto& registry = device::Registry::global();
  DeviceList list;
  const auto logical = registry.logical("list_devices()");
  for (const auto& failure : registry.failures())
    list.failed.push_back({failure.name, failure.text()});
  const auto physical = registry.physical();
  for (size_t i = 0; i < physical.size(); ++i) {
    const auto& one = physical[i];
    StokerDevice found{};
    if (one.backend->table->describe(one.index, &found) != 0) {
      list.failed.push_back({one.backend->table->name, one.backend->table->last_error()});
      continue;
    }
    DeviceInfo info{one.handle().name, one.kind, found.name, found.detail, {}};
    info.backend = one.backend->table->name;
    info.backend_file = one.backend->path;
    info.libraries = one.backend->table->libraries();
    info.cores = found.cores;
    info.memory = static_cast<int64_t>(found.memory);
    info.memory_free = static_cast<int64_t>(found.memory_free);
    for (const auto& part : logical)
      if (part.physical == i) info.logical.push_back(part.device.name());
    list.devices.push_back(info);
  }
  try {
    list.default_device = registry.default_device("list_devices()").name();
  } catch (const Error& error) {
    const char* wanted = std::getenv("STOKER_DEVICE");
    list.no_default = wanted ? fmt::format("STOKER_DEVICE is \"{}\", which does not exist.", wanted)
                             : error.message();
  }
  return list;
}

}  // namespace stoker
