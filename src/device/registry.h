#pragma once
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/device_name.h"
#include "device/memory/memory_account.h"
#include "stoker/device.h"

namespace stoker::device {

// All devices: the physical ones as listed by the backends, their settings, and the logical
// devices, which are created when the first one is used.
class Registry {
 public:
  struct Physical {
    const Backend* backend;
    int32_t index;  // the backend's index of it
    std::string kind;
    int32_t number;  // among devices of its kind
    bool visible = true, growth = true;
    std::vector<LogicalDeviceConfiguration> parts = {};
    PhysicalDevice handle() const { return {physical_name(kind, number), kind}; }
  };
  struct Logical {
    Device device;
    std::string kind;
    int32_t number;
    size_t physical;  // index
    LogicalDevice handle() const { return {logical_name(kind, number), kind}; }
  };

  static Registry& global();

  std::vector<Physical> physical();
  std::vector<LoadFailure> failures();  // backends without a device

  // Settings. Each throws DeviceError once a device has been used.
  void set_visible(const PhysicalDevices& devices, const std::string& kind);
  void set_parts(const PhysicalDevice& device,
                 const std::vector<LogicalDeviceConfiguration>& parts);
  void set_growth(const PhysicalDevice& device, bool enable);
  Physical find_physical(const PhysicalDevice& device);

  // Initialises the devices; `caller` is remembered for error messages.
  std::vector<Logical> logical(const std::string& caller);
  Logical find(const DeviceName& name, const std::string& asked, const std::string& caller);
  bool has_kind(const DeviceName& name, const std::string& caller);
  Device default_device(const std::string& caller);

  // Why there is no GPU; printed when a program that could have used one runs on the CPU.
  std::string why_no_gpu();
  bool expects_gpu();  // does anything on this machine suggest a GPU?

  // For tests: back to the state at program start. Existing objects stay valid.
  void reset();

 private:
  void list();  // the physical devices, once
  void list_backend(const Backend& backend);
  void initialise(const std::string& caller);
  void make_logical(size_t physical);
  // of one physical device, for its logical devices from `first` on
  void reserve_memory(size_t first);
  Physical& at(const PhysicalDevice& device);
  void check_changeable(const std::string& what) const;
  Device choose_default() const;
  bool matches(const Logical& logical, const DeviceName& name) const;
  std::vector<Logical> matching(const DeviceName& name) const;
  std::string explain_no_gpu() const;
  [[noreturn]] void fail_to_find(const DeviceName& name, const std::string& asked) const;

  std::recursive_mutex guard_;
  bool listed_ = false;
  std::string initialised_by_;  // empty: not initialised
  std::vector<Physical> physical_;
  std::vector<Logical> logical_;
  std::vector<LoadFailure> failures_;
  std::optional<Device> default_;
  std::deque<MemoryAccount> accounts_;  // never removed: buffers may be released in any order
};

}  // namespace stoker::device
