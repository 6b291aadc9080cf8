#pragma once
#include "exec/compiled_step.h"
#include "stoker/run_record.h"

namespace stoker::nn {

// What a step holds of its device while its calls run, by what it is for.
RunRecord::Memory memory_course(const exec::CompiledStep& step, int64_t batch_size);

}  // namespace stoker::nn
