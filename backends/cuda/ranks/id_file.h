#pragma once
#include <string>

#include "libraries/nccl.h"

namespace stoker::cuda {

struct IdFile {
  std::string path;  // writable by all ranks
  int rank, size;
  double timeout_seconds;
};

// Distributes rank 0's NCCL id to all ranks through files, if there is no MPI. Every other rank
// writes a random number of its own to PATH.RANK; rank 0 answers all of them in PATH, and removes
// the file when they have acknowledged it. Files left behind by an earlier run contain other
// numbers and are ignored. Throws CudaError if a rank does not appear in time.
void exchange_id(const IdFile& file, NcclId& id);

}  // namespace stoker::cuda
