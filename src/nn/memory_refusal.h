#pragma once
#include "nn/forecaster.h"

namespace stoker::nn {

// The compiled training step for these inputs. One that does not fit is refused with a table of
// what wants the memory, and the ways out with what each would take.
exec::CompiledStep& train_step_for(Model& model, const FitTypes& data,
                                   const std::vector<TensorType>& inputs,
                                   const exec::StepOptions& options = {});

}  // namespace stoker::nn
