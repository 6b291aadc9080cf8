#pragma once
#include "nn/model_impl.h"

namespace stoker::nn {

// The compiled step of a phase for these inputs; traced and compiled on first use.
exec::StepRef step_for(Model& model, Phase phase, const StepLayout& layout,
                       const std::vector<TensorType>& inputs,
                       const exec::StepOptions& options = {});
// The same step as a plan, without allocating memory.
exec::StepPlan plan_for(Model& model, Phase phase, const StepLayout& layout,
                        const std::vector<TensorType>& inputs,
                        const exec::StepOptions& options = {});

}  // namespace stoker::nn
