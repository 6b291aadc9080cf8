#pragma once
#include "context.h"
#include "device/backend_interface.h"

namespace stoker::cuda {

// Page-locks memory of the program for all GPUs, and returns its address on this one. Memory inside
// an already pinned range increases its use count.
const void* pin_host(const Gpu& on, const void* memory, uint64_t bytes);
void unpin_host(const void* memory);

// A concurrent kernel reads the rows over the bus: no core of the host copies them first. It uses
// few threads of each multiprocessor, enough to saturate the bus.
StokerTicket gather_beside(Gpu& on, void* to, const StokerRows& rows, StokerTicket after);

}  // namespace stoker::cuda
