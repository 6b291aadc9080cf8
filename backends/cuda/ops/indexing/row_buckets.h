#pragma once
#include "ops/support.h"

namespace stoker::cuda {

// Groups many values by their row of a table, once instead of in every row.
class RowBuckets {
 public:
  struct Found {
    const int *counts, *ends, *places;  // values per row, and the end of its indices
  };
  RowBuckets(int64_t rows, int64_t count, DType index);

  const std::vector<std::shared_ptr<Function>>& functions() const { return functions_; }
  uint64_t workspace() const;
  Found encode(Encoder& encoder, void* indices, void* workspace) const;

 private:
  int64_t rows_, count_;
  std::vector<std::shared_ptr<Function>> functions_;
};

// A file that includes indexing/row_values.cuh, for values and indices of these types.
KernelSource rows_source(const char* file, DType dtype, DType index);

// One block per row.
LaunchShape shape_for_rows(int64_t rows, int64_t width);

}  // namespace stoker::cuda
