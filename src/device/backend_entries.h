#pragma once
#include <string>

#include "device/backend_interface.h"

namespace stoker::device {

// Names the entries that are missing in a plugin's table, in one sentence; "" if the table is
// complete. Required entries must be set; a group of optional entries is set completely or not at
// all.
std::string why_incomplete(const StokerBackend& table);

}  // namespace stoker::device
