#pragma once
#include <string>

#include "libraries/nccl.h"

namespace stoker::cuda {

struct IdAddress {
  std::string address;  // "host:port" or "[IPv6 address]:port", at which rank 0 listens
  int rank, size;
  double timeout_seconds;
};

// Distributes rank 0's NCCL id to all ranks over TCP, if there is no MPI: as launchers arrange it
// that set MASTER_ADDR and MASTER_PORT. Rank 0 answers when all ranks have connected; connections
// of other programs are ignored. Throws CudaError if the address is wrong or its port is taken, if
// a rank does not connect in time, or belongs to a group of another size.
void exchange_id(const IdAddress& to, NcclId& id);

}  // namespace stoker::cuda
