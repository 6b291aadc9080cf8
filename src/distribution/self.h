#pragma once
#include "distribution/collectives_interface.h"

namespace stoker::distribution {

// Collectives of a program that runs alone: a group of one.
const StokerCollectives& self_collectives();

}  // namespace stoker::distribution
