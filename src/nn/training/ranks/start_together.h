#pragma once
#include "exec/state_copies.h"
#include "stoker/model.h"

namespace stoker::nn {

// Before the first step of a fit on several ranks: refuses ranks whose model is another one, and
// gives all of them the states of rank 0.
void start_together(const Model& model, const exec::States& states);

}  // namespace stoker::nn
