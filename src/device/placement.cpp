#include <atomic>

#include "stoker/device.h"

namespace stoker {
namespace {
std::atomic<bool> soft_placement{true}, log_placement{false};
}

void set_soft_device_placement(bool enabled) { soft_placement = enabled; }
bool get_soft_device_placement() { return soft_placement; }
void set_log_device_placement(bool enabled) { log_placement = enabled; }
bool get_log_device_placement() { return log_placement; }

}  // namespace stoker
