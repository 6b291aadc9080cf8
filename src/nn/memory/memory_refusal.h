#pragma once
#include "nn/memory/forecaster.h"

namespace stoker::nn {

// The compiled training step for these inputs. If it does not fit into memory, the error contains a
// table of what needs the memory, and possible remedies with the memory each would need; `data` is
// only called in that case.
exec::StepRef train_step_for(Model& model, const StepLayout& layout,
                             const std::vector<TensorType>& inputs,
                             const std::function<FitTypes()>& data,
                             const exec::StepOptions& options = {});

}  // namespace stoker::nn
