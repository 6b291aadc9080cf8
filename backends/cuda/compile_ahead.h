#pragma once
#include <memory>
#include <vector>

#include "compiler.h"

namespace stoker::cuda {

// Begins to compile what a planned kernel launches, on threads of its own, so that it is ready, or
// nearly, when all nodes are planned: cuDNN plans one convolution after the other, and leaves most
// cores idle meanwhile. What does not compile is said by whoever needs it.
void compile_ahead(const std::vector<std::shared_ptr<Function>>& functions, const Gpu& gpu);

}  // namespace stoker::cuda
