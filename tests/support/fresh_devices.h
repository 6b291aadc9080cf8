#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "device/registry.h"
#include "stoker/device.h"

namespace stoker::testing {

// Sets an environment variable for a while.
class Environment {
 public:
  Environment(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    put(value);
  }
  ~Environment() { put(before_ ? before_->c_str() : nullptr); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void put(const char* value) {
    if (value)
      setenv(name_.c_str(), value, 1);
    else
      unsetenv(name_.c_str());
  }
  std::string name_;
  std::optional<std::string> before_;
};

// Each test starts with uninitialised devices, and restores all settings.
class FreshDevices : public ::testing::Test {
 protected:
  FreshDevices() { device::Registry::global().reset(); }
  ~FreshDevices() override {
    device::Registry::global().reset();
    set_soft_device_placement(true);
    set_log_device_placement(false);
  }
  static PhysicalDevice cpu() { return list_physical_devices("CPU").at(0); }

 private:
  Environment default_{"STOKER_DEVICE", "/cpu:0"};
};

template <class Error, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace stoker::testing
