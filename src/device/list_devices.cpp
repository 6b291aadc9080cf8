#include "device/backend.h"
#include "stoker/device.h"
#include "stoker/error.h"

namespace stoker {

DeviceList list_devices() {
  const device::Inventory inventory = device::inventory();
  DeviceList list;
  for (const auto& [name, reason] : inventory.failed) list.failed.push_back({name, reason});
  for (const device::Backend* backend : inventory.loaded) {
    const std::string name = backend->table->name;
    try {
      for (int32_t i = 0; i < backend->table->device_count(); ++i) {
        const device::Device device{backend, i};
        const StokerDevice found = device.describe();
        list.devices.push_back({device.name(), found.kind, found.name, found.detail, name,
                                backend->path, found.cores, static_cast<int64_t>(found.memory),
                                static_cast<int64_t>(found.memory_free)});
      }
    } catch (const DeviceError& error) {
      list.failed.push_back({name, error.what()});
    }
  }
  return list;
}

}  // namespace stoker
