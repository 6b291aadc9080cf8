#pragma once
#include "exec/state_copies.h"

namespace stoker::exec {

// Gives the states of all ranks the values that those of rank 0 have. All ranks call it with the
// same ones, in the same order; alone it does nothing.
void broadcast_states(const States& states);

}  // namespace stoker::exec
