#pragma once
#include <cstdint>
#include <string>

namespace stoker::device {

// The parts of "/gpu:1", "GPU:1", "/device:GPU:1", "/physical_device:GPU:1" or "cuda".
struct DeviceName {
  std::string kind;  // in capitals: "CPU", "GPU", or a backend's name
  int32_t number = 0;
  bool physical = false;
};
DeviceName parse_device_name(const std::string& text);  // throws InvalidArgument

std::string upper(std::string text);
std::string short_name(const std::string& kind, int32_t number);     // "/gpu:0"
std::string logical_name(const std::string& kind, int32_t number);   // "/device:GPU:0"
std::string physical_name(const std::string& kind, int32_t number);  // "/physical_device:GPU:0"

}  // namespace stoker::device
