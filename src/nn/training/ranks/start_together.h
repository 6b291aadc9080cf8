#pragma once
#include "nn/training/inputs/fit_data.h"
#include "nn/training/session.h"

namespace stoker::nn {

// Before anything is compiled, which may need all ranks: refuses ranks with other programs, data,
// arguments or models. All ranks call it on their device; with one it does nothing.
void check_together(const Model& model, const FitData& data, const FitArgs& args);
void check_together(const Model& model, const RunData& data, const EvaluateArgs& args);
// Likewise, if the callbacks of their recipes differ in more than the files that these write.
void check_callbacks_together(const Config& callbacks);

// Before the first step of a fit: refuses ranks whose states, checkpoints or order of sums differ,
// and broadcasts rank 0's states.
void start_together(const Session& session, const std::vector<exec::StepRef>& steps);
// Refuses ranks whose order of sums differs in these steps.
void check_sums_together(const std::vector<exec::StepRef>& steps);
// Like start_together of a fit, before the first train_on_batch.
void start_together(const Model& model, const exec::CompiledStep& step);

}  // namespace stoker::nn
