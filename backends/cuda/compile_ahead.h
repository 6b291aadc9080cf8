#pragma once
#include <memory>
#include <vector>

#include "compiler.h"

namespace stoker::cuda {

// Starts to compile a planned kernel's functions in background threads, so that they are ready, or
// nearly, when all nodes are planned: cuDNN plans one convolution after the other and leaves most
// cores idle meanwhile. Compile errors are reported when the function is used.
void compile_ahead(const std::vector<std::shared_ptr<Function>>& functions, const Gpu& gpu);

}  // namespace stoker::cuda
