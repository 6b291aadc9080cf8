#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// Which devices there are, which of them a program sees, how much of their memory it takes, and
// where things run. Keras users know these functions from tf.config.
namespace stoker {

namespace device {
class Scope;
}

// What is in the machine: {"/physical_device:GPU:0", "GPU"}.
struct PhysicalDevice {
  std::string name, device_type;
  bool operator==(const PhysicalDevice&) const = default;
};

// What programs run on, a physical device or a share of one: {"/device:GPU:0", "GPU"}.
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

// A share of a physical device. The limit is in MB (2^20 bytes), as in TensorFlow; 0: none.
struct LogicalDeviceConfiguration {
  int64_t memory_limit = 0;
};

// An empty type means all. Lists of physical devices start no device; asking for logical devices,
// or using one in any way, does. From then on what is set here stays: to change it throws
// DeviceError that names the call which came first.
PhysicalDevices list_physical_devices(const std::string& device_type = "");
void set_visible_devices(const PhysicalDevices& devices, const std::string& device_type = "");
PhysicalDevices get_visible_devices(const std::string& device_type = "");
std::vector<LogicalDevice> list_logical_devices(const std::string& device_type = "");
LogicalDevice find_logical_device(const std::string& name);  // throws, saying why it is not there

// Splits a physical device; each part is a logical device with a memory limit and an account of
// its own. {} goes back to one without a limit.
void set_logical_device_configuration(const PhysicalDevice& device,
                                      const std::vector<LogicalDeviceConfiguration>& parts);
std::vector<LogicalDeviceConfiguration> get_logical_device_configuration(
    const PhysicalDevice& device);

// Growing (the default) takes memory as it is needed. Else the device's memory_limit, or nearly
// all that is free, is taken at once.
void set_memory_growth(const PhysicalDevice& device, bool enable);
bool get_memory_growth(const PhysicalDevice& device);

// Bytes this program holds on a logical device, by what they are for: "parameters", "optimizer",
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
void reset_memory_stats(const std::string& device);  // the peak is now what is held

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

// Soft placement (the default): what a device cannot do the CPU does, and that is said once on
// stderr, with the reason. Without it, it is an error.
void set_soft_device_placement(bool enabled);
bool get_soft_device_placement();

// Prints where each op of a step runs, and by which implementation, when the step is compiled.
void set_log_device_placement(bool enabled);
bool get_log_device_placement();

// A physical device with all that is known of it.
struct DeviceInfo {
  std::string name;                  // "/physical_device:GPU:0"
  std::string kind;                  // "CPU", "GPU"
  std::string model;                 // what the maker calls it
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
  std::vector<BackendFailure> failed;  // backends without a device, each with the exact reason
  std::string default_device;          // where things run that no scope places
  std::string no_default;              // if it is not there: why
};
DeviceList list_devices();

}  // namespace stoker
