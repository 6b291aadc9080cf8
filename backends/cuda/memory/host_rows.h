#pragma once
#include "context.h"
#include "device/backend_interface.h"

namespace stoker::cuda {

// Page-locks memory of the program's for all GPUs, and returns where this one finds it. What lies
// in memory that is pinned already counts as one more use of that.
const void* pin_host(const Gpu& on, const void* memory, uint64_t bytes);
void unpin_host(const void* memory);

// A kernel beside the GPU's work reads the rows across the bus: no core of the host copies them
// together first. It takes few threads of each multiprocessor, enough for the bus.
StokerTicket gather_beside(Gpu& on, void* to, const StokerRows& rows, StokerTicket after);

}  // namespace stoker::cuda
