#pragma once
#include <string>

#include "distribution/collectives_interface.h"

namespace stoker::distribution {

// Returns a plugin's collectives; null: it has none. `flags`: of dlopen. Throws DeviceError if it
// does not load, or has another version.
const StokerCollectives* collectives_in(const std::string& path, int flags = 0);

}  // namespace stoker::distribution
