#pragma once
#include "exec/state_copies.h"

namespace stoker::exec {

// Gives the states of all ranks rank 0's values. All ranks call it with the same states in the same
// order; with one rank it does nothing.
void broadcast_states(const States& states);

}  // namespace stoker::exec
