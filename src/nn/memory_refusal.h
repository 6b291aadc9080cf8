#pragma once
#include "nn/model_impl.h"

namespace stoker::nn {

// The error for a training step that does not fit: what wants the memory, and the ways out with
// what each would take.
OutOfMemory too_large(Model& model, const StepLayout& layout,
                      const std::vector<TensorType>& step_inputs, const exec::StepOptions& options,
                      const OutOfMemory& error);

}  // namespace stoker::nn
