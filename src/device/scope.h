#pragma once
#include "device/device.h"

namespace stoker::device {

// Sets the device for this thread while it lives; the innermost scope wins.
class Scope {
 public:
  explicit Scope(const Device& device);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  const Device& device() const { return device_; }
  static const Scope* innermost();

 private:
  Device device_;
  const Scope* outer_;
};

// The innermost scope's device, else the default device. `caller` ("fit", "an op") is named in the
// error of a later attempt to configure devices.
Device current_device(const char* caller);

// The device of that name. With soft placement, the CPU replaces a kind of device that does not
// exist; this is reported once.
Device place(const std::string& name, const std::string& caller);

Device host_device();  // the first CPU, which runs what a device refuses

// Reports once why a program that could have used a GPU runs on the CPU.
void explain_cpu(const Device& device, const char* caller);

// Prints a line to stderr; only the first one for each `about`.
void say_once(const std::string& about, const std::string& line);

}  // namespace stoker::device
