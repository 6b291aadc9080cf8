#pragma once
#include <string>

#include "libraries/nccl.h"

namespace stoker::cuda {

struct IdFile {
  std::string path;  // where all ranks can write
  int rank, size;
  double timeout_seconds;
};

// Gives the id of rank 0 to all ranks by files, where no MPI does it. Every rank but the first puts
// a number of its own into PATH.RANK; rank 0 answers all of them in PATH, and removes it when they
// have taken note. What an earlier run left behind has other numbers in it, and is ignored. Throws
// CudaError where a rank does not come within the time.
void exchange_id(const IdFile& file, NcclId& id);

}  // namespace stoker::cuda
