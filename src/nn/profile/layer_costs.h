#pragma once
#include "nn/profile/run_notes.h"
#include "stoker/run_record.h"

namespace stoker::nn {

// The cost of each layer in a step, longest first: FLOPs and bytes by the ops' rules, time if steps
// were profiled, and the device's limit, which may have to be measured first.
void add_layers(RunRecord& run, const exec::CompiledStep& step, const ProfiledSteps& profile,
                bool may_measure);

}  // namespace stoker::nn
