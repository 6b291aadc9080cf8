#pragma once
#include "device/device.h"

namespace stoker::device {

// Where things are made in this thread while it lives; the innermost counts.
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

// The innermost scope's device, else the default one. `caller` is named to who changes the set-up
// too late: "fit", "an op".
Device current_device(const char* caller);

// The device of that name; with soft placement the CPU instead of a kind that is not here, said
// once.
Device place(const std::string& name, const std::string& caller);

Device host_device();  // the first CPU: where what a device refuses runs

// Says once why a program that could have had a GPU goes on with the CPU.
void explain_cpu(const Device& device, const char* caller);

// Prints a line to stderr; only the first of those about the same thing.
void say_once(const std::string& about, const std::string& line);

}  // namespace stoker::device
