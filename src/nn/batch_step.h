#pragma once
#include "nn/model_impl.h"

namespace stoker::nn {

// The compiled step of a phase for these inputs; traced and compiled when first asked for.
exec::CompiledStep& step_for(Model& model, Phase phase, const StepLayout& layout,
                             const std::vector<TensorType>& inputs);

}  // namespace stoker::nn
