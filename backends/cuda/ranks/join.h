#pragma once
#include "distribution/collectives_interface.h"
#include "ranks/communicator.h"

namespace stoker::cuda {

// Joins the GPUs of all ranks into one communicator for the steps of this process, on all ranks or
// on none. `ranks` exchanges the messages; throws CudaError with the same message on all ranks.
void join_ranks(const Gpu& gpu, const StokerCollectives& ranks);

// The communicator of the steps on this GPU; null if the ranks were not joined, or with another
// GPU.
const Communicator* communicator_of(const Gpu& gpu);

// For a program with calls that reduce over the ranks; called by all ranks at the same time. Throws
// CudaError if the sums are not the same in the same order. Returns the maximum number of calls,
// from which every rank derives the number of steps in a graph: that must be equal on all ranks.
int64_t agree_on_step(const std::string& sums, int64_t calls);

}  // namespace stoker::cuda
