#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "command.h"
#include "stoker/device.h"
#include "stoker/human_bytes.h"

namespace stoker::cli {
namespace {

std::string to_text(const DeviceInfo& device) {
  std::string text = fmt::format("{}  {}\n", device.name, device.model);
  text += device.logical.empty()
              ? "  not visible\n"
              : fmt::format("  programs call it {}\n", fmt::join(device.logical, ", "));
  text += fmt::format("  {} {}, {} of memory, {} free\n", device.cores,
                      device.kind == "CPU" ? "cores" : "multiprocessors",
                      human_bytes(device.memory), human_bytes(device.memory_free));
  if (!device.detail.empty()) text += fmt::format("  {}\n", device.detail);
  text += fmt::format("  backend {}: {}\n", device.backend, device.backend_file);
  if (!device.libraries.empty()) text += fmt::format("  {}\n", device.libraries);
  return text;
}

std::string to_text(const DeviceList& list) {
  std::string text;
  for (const DeviceInfo& device : list.devices) text += to_text(device);
  for (const auto& [backend, reason] : list.failed)
    text += fmt::format("no {}: {}\n", backend, reason);
  return text + (list.no_default.empty() ? fmt::format("default: {}", list.default_device)
                                         : fmt::format("no default: {}", list.no_default));
}

Config devices_config(const DeviceList& list) {
  Config::List devices, failed;
  for (const DeviceInfo& device : list.devices)
    devices.push_back(
        Config::map({{"name", device.name},
                     {"kind", device.kind},
                     {"model", device.model},
                     {"detail", device.detail},
                     {"logical", Config::List(device.logical.begin(), device.logical.end())},
                     {"cores", device.cores},
                     {"memory", device.memory},
                     {"memory_free", device.memory_free},
                     {"backend", device.backend},
                     {"backend_file", device.backend_file},
                     {"libraries", device.libraries}}));
  for (const auto& [backend, reason] : list.failed)
    failed.push_back(Config::map({{"backend", backend}, {"reason", reason}}));
  return Config::map({{"devices", devices},
                      {"failed", failed},
                      {"default", list.default_device},
                      {"no_default", list.no_default}});
}

}  // namespace

void add_devices(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, invocation, "devices",
                                  "list the devices that can train, and why others cannot");
  command->footer("Example: stoker devices --json");
  command->callback([&invocation] {
    const DeviceList list = list_devices();
    invocation.print(devices_config(list), to_text(list));
  });
}

}  // namespace stoker::cli
