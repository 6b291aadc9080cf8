#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// Devices: listing, visibility, memory limits and placement. Keras users know these functions from
// tf.config.
namespace stoker {

namespace device {
class Scope;
}

// A device of the machine: {"/physical_device:GPU:0", "GPU"}.
struct PhysicalDevice {
  std::string name, device_type;
  bool operator==(const PhysicalDevice&) const = default;
};

// A device to run on, a physical device or a part of one: {"/device:GPU:0", "GPU"}.
struct LogicalDevice {
  std::string name, device_type;
  bool operator==(const LogicalDevice&) const = default;
};

// One or several.
class PhysicalDevices : public std::vector<PhysicalDevice> {
 public:
  PhysicalDevices() = default;
  PhysicalDevices(const PhysicalDevice& one) : std::vector<PhysicalDevice>{one} {}  // NOLINT
  PhysicalDevices(std::initializer_list<PhysicalDevice> list)                       // NOLINT
      : std::vector<PhysicalDevice>(list) {}
  PhysicalDevices(std::vector<PhysicalDevice> list)  // NOLINT
      : std::vector<PhysicalDevice>(std::move(list)) {}
};

// A part of a physical device. The limit is in MB (2^20 bytes), as in TensorFlow; 0: none.
struct LogicalDeviceConfiguration {
  int64_t memory_limit = 0;
};

// An empty type means all. Listing physical devices initialises none; listing logical devices, or
// using one in any way, does. After that these settings are fixed: changing one throws a
// DeviceError that names the call which initialised the devices.
PhysicalDevices list_physical_devices(const std::string& device_type = "");
void set_visible_devices(const PhysicalDevices& devices, const std::string& device_type = "");
PhysicalDevices get_visible_devices(const std::string& device_type = "");
std::vector<LogicalDevice> list_logical_devices(const std::string& device_type = "");
// throws with the reason if it does not exist
LogicalDevice find_logical_device(const std::string& name);

// Splits a physical device; each part is a logical device with its own memory limit and account. {}
// restores a single one without a limit.
void set_logical_device_configuration(const PhysicalDevice& device,
                                      const std::vector<LogicalDeviceConfiguration>& parts);
std::vector<LogicalDeviceConfiguration> get_logical_device_configuration(
    const PhysicalDevice& device);

// With growth (the default), memory is allocated as needed. Otherwise the memory_limit, or nearly
// all free memory, is allocated at once.
void set_memory_growth(const PhysicalDevice& device, bool enable);
bool get_memory_growth(const PhysicalDevice& device);

// Bytes that this program holds on a logical device, by purpose: "parameters", "optimizer",
// "activations", "workspace", "inputs", "other".
struct MemoryInfo {
  struct Category {
    std::string name;
    int64_t current = 0, peak = 0;
  };
  int64_t current = 0, peak = 0;
  int64_t limit = 0;  // 0: none
  std::vector<Category> categories;
  const Category& operator[](const std::string& category) const;
};
MemoryInfo get_memory_info(const std::string& device);
void reset_memory_stats(const std::string& device);  // sets the peak to the current use

// While it lives, variables, ops and steps of this thread are made on that device:
//   const Device scope("/gpu:0");
// Also understood: "gpu:0", "GPU:0", "/device:GPU:0", "/physical_device:GPU:0", "cuda".
class [[nodiscard]] Device {
 public:
  explicit Device(const std::string& name);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  LogicalDevice logical() const;

 private:
  std::unique_ptr<device::Scope> scope_;
};

// Soft placement (the default): the CPU runs what a device does not support, which is reported once
// on stderr with the reason. Without soft placement it is an error.
void set_soft_device_placement(bool enabled);
bool get_soft_device_placement();

// When a step is compiled, prints the device and the implementation of each of its ops.
void set_log_device_placement(bool enabled);
bool get_log_device_placement();

// A physical device with all known properties.
struct DeviceInfo {
  std::string name;                  // "/physical_device:GPU:0"
  std::string kind;                  // "CPU", "GPU"
  std::string model;                 // the vendor's name
  std::string detail;                // instruction set, or driver, runtime and library versions
  std::vector<std::string> logical;  // "/gpu:0"; empty: not visible
  std::string backend, backend_file, libraries;
  int64_t cores = 0, memory = 0, memory_free = 0;  // bytes
};

struct BackendFailure {
  std::string backend, reason;
};

struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::vector<BackendFailure> failed;  // backends without a device, with reasons
  std::string default_device;          // where things run outside of any scope
  std::string no_default;              // why it does not exist, if so
};
DeviceList list_devices();

}  // namespace stoker
