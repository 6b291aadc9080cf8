#pragma once
#include "nn/training/inputs/fit_data.h"
#include "nn/training/session.h"

namespace stoker::nn {

// Before the first step of a fit on several ranks: refuses ranks with different models, data,
// programs or checkpoints, and broadcasts rank 0's states.
void start_together(const Model& model, const Session& session, const RunData& data,
                    const FitArgs& args);

}  // namespace stoker::nn
