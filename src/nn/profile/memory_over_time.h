#pragma once
#include "exec/compiled_step.h"
#include "stoker/run_record.h"

namespace stoker::nn {

// Device memory in use while a step's calls run, by purpose.
RunRecord::Memory memory_over_time(const exec::CompiledStep& step, int64_t batch_size);

}  // namespace stoker::nn
