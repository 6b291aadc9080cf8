#pragma once
#include "context.h"

namespace stoker::cuda {

// Enqueues a copy of host memory to the GPU. Much of it goes through page-locked memory, filled by
// all cores while the piece before it is under way: the driver's own way is several times slower.
void upload(const Gpu& gpu, CUstream stream, CUdeviceptr to, const void* from, uint64_t bytes);

}  // namespace stoker::cuda
