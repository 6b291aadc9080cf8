#pragma once
#include <string>

#include "distribution/collectives_interface.h"

namespace stoker::distribution {

// Of a plugin; null: it has none. `flags`: of dlopen. Throws DeviceError if it does not load, or is
// of another version.
const StokerCollectives* collectives_in(const std::string& path, int flags = 0);

}  // namespace stoker::distribution
