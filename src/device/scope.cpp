#include "device/scope.h"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <set>

#include "device/registry.h"
#include "stoker/error.h"
#include "stoker/say.h"

namespace stoker {
namespace device {
namespace {
thread_local const Scope* innermost_scope = nullptr;
}

Scope::Scope(const Device& device) : device_(device), outer_(innermost_scope) {
  innermost_scope = this;
}
Scope::~Scope() { innermost_scope = outer_; }
const Scope* Scope::innermost() { return innermost_scope; }

Device current_device(const char* caller) {
  return innermost_scope ? innermost_scope->device() : Registry::global().default_device(caller);
}

Device host_device() { return Registry::global().find({"CPU"}, "/cpu:0", "soft placement").device; }

Device place(const std::string& asked, const std::string& caller) {
  Registry& registry = Registry::global();
  const DeviceName name = parse_device_name(asked);
  const bool is_gpu = name.kind == "GPU" || name.kind == "CUDA";
  if (!is_gpu || !get_soft_device_placement() || registry.has_kind(name, caller))
    return registry.find(name, asked, caller).device;
  say_once(caller,
           fmt::format("stoker: {} uses the CPU instead: {}", caller, registry.why_no_gpu()));
  return host_device();
}

void explain_cpu(const Device& device, const char* caller) {
  Registry& registry = Registry::global();
  if (device.is_host() && !innermost_scope && registry.expects_gpu())
    say_once("no GPU",
             fmt::format("stoker: {} runs on the CPU: {}", caller, registry.why_no_gpu()));
}

void say_once(const std::string& about, const std::string& line) {
  static std::mutex guard;
  static std::set<std::string> said;
  const std::lock_guard lock(guard);
  if (said.insert(about).second) say(stderr, fmt::format("{}\n", line));
}

}  // namespace device

Device::Device(const std::string& name)
    : scope_(std::make_unique<device::Scope>(
          device::place(name, fmt::format("Device(\"{}\")", name)))) {}
Device::~Device() = default;

LogicalDevice Device::logical() const { return find_logical_device(scope_->device().name()); }

}  // namespace stoker
