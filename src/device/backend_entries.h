#pragma once
#include <string>

#include "device/backend_interface.h"

namespace stoker::device {

// What a plugin's table lacks, in a sentence; "" if it is whole. Required entries must be there, a
// group of optional ones as a whole or not at all.
std::string why_incomplete(const StokerBackend& table);

}  // namespace stoker::device
