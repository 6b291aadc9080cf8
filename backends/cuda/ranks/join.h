#pragma once
#include "distribution/collectives_interface.h"
#include "ranks/communicator.h"

namespace stoker::cuda {

// Joins the GPUs of all ranks into one communicator, for the steps of this process: on all ranks or
// on none. They talk by `ranks`; throws CudaError with the same sentence on all of them.
void join_ranks(const Gpu& gpu, const StokerCollectives& ranks);

// That of the steps on this GPU; null: the ranks were not joined, or another GPU was.
const Communicator* communicator_of(const Gpu& gpu);

// For a program whose calls add over the ranks, which all of them make at the same time: throws
// CudaError where the sums are not the same in the same order. Returns the largest number of calls:
// how many steps go into a graph, of which ranks must have equal ones, depends on that alone.
int64_t agree_on_step(const std::string& sums, int64_t calls);

}  // namespace stoker::cuda
