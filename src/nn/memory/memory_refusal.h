#pragma once
#include "nn/memory/forecaster.h"

namespace stoker::nn {

// The compiled training step for these inputs. One that does not fit is refused with a table of
// what wants the memory, and the ways out with what each would take; for that, and only then, it
// asks what the data is.
exec::StepRef train_step_for(Model& model, const StepLayout& layout,
                             const std::vector<TensorType>& inputs,
                             const std::function<FitTypes()>& data,
                             const exec::StepOptions& options = {});

}  // namespace stoker::nn
