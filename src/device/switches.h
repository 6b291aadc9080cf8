#pragma once
#include <cstdint>

#include "device/backend_interface.h"

// What the user chose for all backends (stoker/numerics.h), kept for those that load later.
namespace stoker::device {

void configure_by_switches(const StokerBackend& backend);  // each backend once, when it is loaded

// Changes with the switches: what was planned under another number is to be planned again.
uint64_t switches_version();

}  // namespace stoker::device
