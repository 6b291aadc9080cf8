#include <fmt/format.h>

#include "device/memory/memory_account.h"
#include "device/registry.h"
#include "stoker/error.h"

// The public functions: each asks the registry.
namespace stoker {
namespace {

device::Registry& registry() { return device::Registry::global(); }

bool is_of(const std::string& kind, const std::string& asked) {
  return asked.empty() || kind == device::upper(asked);
}

device::MemoryAccount& account_of(const std::string& name, const std::string& caller) {
  return *registry().find(device::parse_device_name(name), name, caller).device.account;
}

}  // namespace

PhysicalDevices list_physical_devices(const std::string& device_type) {
  PhysicalDevices list;
  for (const auto& physical : registry().physical())
    if (is_of(physical.kind, device_type)) list.push_back(physical.handle());
  return list;
}

void set_visible_devices(const PhysicalDevices& devices, const std::string& device_type) {
  registry().set_visible(devices, device_type);
}

PhysicalDevices get_visible_devices(const std::string& device_type) {
  PhysicalDevices list;
  for (const auto& physical : registry().physical())
    if (physical.visible && is_of(physical.kind, device_type)) list.push_back(physical.handle());
  return list;
}

std::vector<LogicalDevice> list_logical_devices(const std::string& device_type) {
  std::vector<LogicalDevice> list;
  for (const auto& logical : registry().logical("list_logical_devices()"))
    if (is_of(logical.kind, device_type)) list.push_back(logical.handle());
  return list;
}

LogicalDevice find_logical_device(const std::string& name) {
  return registry()
      .find(device::parse_device_name(name), name, fmt::format("find_logical_device(\"{}\")", name))
      .handle();
}

void set_logical_device_configuration(const PhysicalDevice& device,
                                      const std::vector<LogicalDeviceConfiguration>& parts) {
  registry().set_parts(device, parts);
}
std::vector<LogicalDeviceConfiguration> get_logical_device_configuration(
    const PhysicalDevice& device) {
  return registry().find_physical(device).parts;
}

void set_memory_growth(const PhysicalDevice& device, bool enable) {
  registry().set_growth(device, enable);
}
bool get_memory_growth(const PhysicalDevice& device) {
  return registry().find_physical(device).growth;
}

MemoryInfo get_memory_info(const std::string& device) {
  return account_of(device, fmt::format("get_memory_info(\"{}\")", device)).info();
}
void reset_memory_stats(const std::string& device) {
  account_of(device, fmt::format("reset_memory_stats(\"{}\")", device)).reset_peaks();
}

const MemoryInfo::Category& MemoryInfo::operator[](const std::string& category) const {
  for (const Category& one : categories)
    if (one.name == category) return one;
  throw InvalidArgument(
      fmt::format("\"{}\" is not a category of memory.", category),
      "the categories are parameters, optimizer, activations, workspace, inputs, other.");
}

}  // namespace stoker
