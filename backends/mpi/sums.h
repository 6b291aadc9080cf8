#pragma once
#include <mpi.h>

#include "stoker/dtype.h"

namespace stoker::mpi {

// MPI's type for the elements, and the operation that adds them.
struct Sum {
  MPI_Datatype type;
  MPI_Op add;
};
Sum sum_of(DType dtype);  // after MPI has started

}  // namespace stoker::mpi
