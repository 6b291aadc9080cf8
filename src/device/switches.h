#pragma once
#include <cstdint>

#include "device/backend_interface.h"

// The user's settings for all backends (stoker/numerics.h), kept for backends that are loaded
// later.
namespace stoker::device {

// once for each backend, when it is loaded
void configure_by_switches(const StokerBackend& backend);

// Changes with the settings: plans made under another version must be made again.
uint64_t switches_version();

}  // namespace stoker::device
