#pragma once
#include "distribution/collectives_interface.h"

namespace stoker::distribution {

// Collectives of a single process.
const StokerCollectives& self_collectives();

}  // namespace stoker::distribution
