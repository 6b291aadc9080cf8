#pragma once
#include "nn/training/session.h"

namespace stoker::nn {

// Before the first step of a fit on several ranks: refuses ranks whose model, data, program or
// checkpoint is another one, and gives all of them the states of rank 0.
void start_together(const Model& model, const Session& session);

}  // namespace stoker::nn
