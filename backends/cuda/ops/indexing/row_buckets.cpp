#include "ops/indexing/row_buckets.h"

#include <algorithm>

#include "core/round_up.h"

namespace stoker::cuda {
KernelSource rows_source(const char* file, DType dtype, DType index) {
  return KernelSource(file).type("element_t", dtype).type("index_t", index);
}

LaunchShape shape_for_rows(int64_t rows, int64_t width) {
  // At least as many as the values that a row sorts itself.
  const int64_t threads = std::clamp<int64_t>(round_up(width, 32), 64, 256);
  return {.blocks = static_cast<unsigned int>(rows), .threads = static_cast<unsigned int>(threads)};
}

RowBuckets::RowBuckets(int64_t rows, int64_t count, DType index) : rows_(rows), count_(count) {
  const std::string text = KernelSource("indexing/row_buckets.cuh").type("index_t", index);
  for (const char* name : {"count_values", "begin_rows", "place_values"})
    functions_.push_back(make_function(text, name));
}

uint64_t RowBuckets::workspace() const {
  return static_cast<uint64_t>(2 * rows_ + count_) * sizeof(int);
}

RowBuckets::Found RowBuckets::encode(Encoder& encoder, void* indices, void* workspace) const {
  auto* counts = static_cast<int*>(workspace);
  int *begins = counts + rows_, *places = begins + rows_;
  encoder.fill(counts, 0, static_cast<uint64_t>(rows_) * sizeof(int));
  encoder.launch(*functions_[0], {.blocks = blocks_for(count_)}, indices, counts, count_, rows_);
  encoder.launch(*functions_[1], {.threads = 1024}, counts, begins, rows_);
  encoder.launch(*functions_[2], {.blocks = blocks_for(count_)}, indices, begins, places, count_,
                 rows_);
  return {counts, begins, places};
}

}  // namespace stoker::cuda
