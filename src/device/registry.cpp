#include "device/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

#include "core/thread_pool.h"
#include "device/memory/memory_account.h"
#include "stoker/error.h"

namespace stoker::device {

namespace {
constexpr double share_reserved = 0.95;  // of the free memory: the driver needs some itself
}

using Lock = std::lock_guard<std::recursive_mutex>;

Registry& Registry::global() {
  // Never destroyed: static objects may hold device memory until the program exits.
  static auto* registry = new Registry;
  return *registry;
}

void Registry::reset() {
  const Lock lock(guard_);
  listed_ = false;
  initialised_by_.clear();
  physical_.clear();
  logical_.clear();
  failures_.clear();
  default_.reset();
}

void Registry::list() {
  if (listed_) return;
  asked_threads();  // throws here rather than when a backend starts its threads
  listed_ = true;
  Inventory found = inventory();
  failures_ = std::move(found.failed);
  for (const Backend* backend : found.loaded) list_backend(*backend);
}

void Registry::list_backend(const Backend& backend) {
  const StokerBackend& table = *backend.table;
  const int32_t count = table.device_count();
  if (count <= 0) {
    const char* why = table.unavailable();
    failures_.push_back({table.name, fmt::format("backend \"{}\" has no device: {}", table.name,
                                                 why ? why : "it does not say why.")});
  }
  for (int32_t i = 0; i < count; ++i) {  // without describe(), which would initialise it
    const auto number = std::ranges::count(physical_, std::string(table.kind), &Physical::kind);
    physical_.push_back({&backend, i, table.kind, static_cast<int32_t>(number)});
  }
}

std::vector<Registry::Physical> Registry::physical() {
  const Lock lock(guard_);
  list();
  return physical_;
}
std::vector<LoadFailure> Registry::failures() {
  const Lock lock(guard_);
  list();
  return failures_;
}

Registry::Physical& Registry::at(const PhysicalDevice& device) {
  list();
  for (Physical& physical : physical_)
    if (physical.handle().name == device.name) return physical;
  std::string known;
  for (const Physical& physical : physical_)
    known += (known.empty() ? "" : ", ") + physical.handle().name;
  throw InvalidArgument(fmt::format("there is no physical device \"{}\".", device.name),
                        "list_physical_devices() gives " + known + ".");
}
Registry::Physical Registry::find_physical(const PhysicalDevice& device) {
  const Lock lock(guard_);
  return at(device);
}

void Registry::check_changeable(const std::string& what) const {
  if (!initialised_by_.empty())
    throw DeviceError(
        fmt::format("{}: the devices are in use since {}.", what, initialised_by_),
        "set up devices at the start of the program, before anything is made on them.");
}

void Registry::set_visible(const PhysicalDevices& devices, const std::string& kind) {
  const Lock lock(guard_);
  check_changeable("set_visible_devices");
  list();
  const auto concerns = [&](const std::string& k) { return kind.empty() || k == upper(kind); };
  for (const PhysicalDevice& device : devices)
    if (!concerns(at(device).kind))
      throw InvalidArgument(
          fmt::format("set_visible_devices: \"{}\" is no {}.", device.name, kind));
  const auto named = [&](const Physical& p) {
    return std::ranges::any_of(devices, [&](const auto& d) { return d.name == p.handle().name; });
  };
  const auto cpu = std::ranges::find(physical_, "CPU", &Physical::kind);
  if (cpu != physical_.end() && concerns("CPU") && !named(*cpu))
    throw InvalidArgument("set_visible_devices: the CPU cannot be hidden.",
                          "name the kind that is meant: set_visible_devices(gpus, \"GPU\").");
  for (Physical& physical : physical_)
    if (concerns(physical.kind)) physical.visible = named(physical);
}

void Registry::set_parts(const PhysicalDevice& device,
                         const std::vector<LogicalDeviceConfiguration>& parts) {
  const Lock lock(guard_);
  Physical& physical = at(device);
  for (const auto& part : parts)
    if (part.memory_limit < 0)
      throw InvalidArgument(
          fmt::format("set_logical_device_configuration: a memory_limit of {} MB for \"{}\".",
                      part.memory_limit, device.name));
  check_changeable("set_logical_device_configuration");
  physical.parts = parts;
}

void Registry::set_growth(const PhysicalDevice& device, bool enable) {
  const Lock lock(guard_);
  Physical& physical = at(device);
  if (physical.growth == enable) return;
  check_changeable("set_memory_growth");
  physical.growth = enable;
}

void Registry::make_logical(size_t which) {
  const Physical& physical = physical_[which];
  auto parts = physical.parts;
  if (parts.empty()) parts.emplace_back();
  const size_t first = logical_.size();
  for (const LogicalDeviceConfiguration& part : parts) {
    const auto number =
        static_cast<int32_t>(std::ranges::count(logical_, physical.kind, &Logical::kind));
    if (!physical.growth && physical.kind == "CPU" && part.memory_limit == 0)
      throw InvalidArgument(
          "set_memory_growth(CPU, false) would take nearly all of the machine's memory.",
          "give the CPU a memory_limit by set_logical_device_configuration.");
    auto* account = &accounts_.emplace_back(short_name(physical.kind, number), physical.kind,
                                            part.memory_limit << 20);
    logical_.push_back({{physical.backend, physical.index, account}, physical.kind, number, which});
  }
  if (!physical.growth) reserve_memory(first);
}

// Logical devices without a limit share equally what the limits of the others leave.
void Registry::reserve_memory(size_t first) {
  const auto parts = std::span(logical_).subspan(first);
  const double free = static_cast<double>(parts[0].device.describe_whole().memory_free);
  double left = share_reserved * free, sharing = 0;
  for (const Logical& part : parts) {
    left -= static_cast<double>(part.device.account->limit());
    if (part.device.account->limit() == 0) ++sharing;
  }
  for (const Logical& part : parts) {
    const auto limit = static_cast<uint64_t>(part.device.account->limit());
    const auto share = static_cast<uint64_t>(std::max(left, 0.0) / std::max(sharing, 1.0));
    part.device.account->reserve(part.device, limit > 0 ? limit : share);
  }
}

void Registry::initialise(const std::string& caller) {
  if (!initialised_by_.empty()) return;
  list();
  try {
    for (size_t i = 0; i < physical_.size(); ++i)
      if (physical_[i].visible) make_logical(i);
  } catch (...) {
    // So that smaller limits can be tried afterwards.
    for (const Logical& made : logical_) made.device.account->give_back(made.device);
    logical_.clear();
    throw;
  }
  initialised_by_ = caller;
}

std::vector<Registry::Logical> Registry::logical(const std::string& caller) {
  const Lock lock(guard_);
  initialise(caller);
  return logical_;
}

bool Registry::matches(const Logical& logical, const DeviceName& name) const {
  const Physical& physical = physical_[logical.physical];
  const bool same_kind =
      logical.kind == name.kind || upper(physical.backend->table->name) == name.kind;
  return same_kind && (!name.physical || physical.number == name.number);
}

std::vector<Registry::Logical> Registry::matching(const DeviceName& name) const {
  std::vector<Logical> found;
  for (const Logical& logical : logical_)
    if (matches(logical, name)) found.push_back(logical);
  return found;
}

Registry::Logical Registry::find(const DeviceName& name, const std::string& asked,
                                 const std::string& caller) {
  const Lock lock(guard_);
  initialise(caller);
  const auto found = matching(name);
  const auto number = name.physical ? size_t{0} : static_cast<size_t>(name.number);
  if (number >= found.size()) fail_to_find(name, asked);
  return found[number];
}

bool Registry::has_kind(const DeviceName& name, const std::string& caller) {
  const Lock lock(guard_);
  initialise(caller);
  return std::ranges::any_of(logical_, [&](const Logical& logical) {
    return matches(logical, {name.kind, 0, false});
  });
}

void Registry::fail_to_find(const DeviceName& name, const std::string& asked) const {
  const auto of_kind = matching({name.kind, 0, false});
  std::string known;
  for (const Logical& logical : of_kind.empty() ? logical_ : of_kind)
    known += (known.empty() ? "" : ", ") + logical.device.name();
  if (!of_kind.empty())
    throw DeviceError(fmt::format("there is no device \"{}\": of its kind there {} {}.", asked,
                                  of_kind.size() == 1 ? "is only" : "are", known));
  if (name.kind == "GPU" || name.kind == "CUDA")
    throw DeviceError(fmt::format("there is no device \"{}\": {}", asked, explain_no_gpu()),
                      "`stoker devices` lists what there is.");
  throw DeviceError(fmt::format("there is no device \"{}\".", asked), "there are " + known + ".");
}

Device Registry::choose_default() const {
  const auto gpu = std::ranges::find(logical_, "GPU", &Logical::kind);
  return (gpu != logical_.end() ? *gpu : logical_.front()).device;
}

Device Registry::default_device(const std::string& caller) {
  const Lock lock(guard_);
  if (default_) return *default_;
  initialise(caller);
  if (logical_.empty()) load_backend("cpu");  // throws why not
  if (const char* wanted = std::getenv("STOKER_DEVICE"); wanted && *wanted) {
    try {
      default_ = find(parse_device_name(wanted), wanted, caller).device;
    } catch (Error& error) {
      error.add_where("the environment variable STOKER_DEVICE");
      throw;
    }
  } else {
    default_ = choose_default();
  }
  return *default_;
}

}  // namespace stoker::device
