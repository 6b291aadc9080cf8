#include "ops/indexing/row_buckets.h"

#include <algorithm>

namespace stoker::cuda {
namespace {

const char* const text = R"cuda(
typedef {index} index_t;

extern "C" __global__ void __launch_bounds__(256) count_values(const index_t* indices, int* counts, int64_t count, int64_t rows) {{
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= count) return;
  const int64_t row = indices[i];
  if (row >= 0 && row < rows) atomicAdd(counts + row, 1);
}}

// Where each row's values begin: a block of threads that each add up a stretch of rows.
extern "C" __global__ void __launch_bounds__(1024) begin_rows(const int* counts, int* begins, int64_t rows) {{
  __shared__ int sums[1024];
  const int64_t each = (rows + 1023) / 1024, first = threadIdx.x * each;
  const int64_t last = first + each < rows ? first + each : rows;
  int sum = 0;
  for (int64_t row = first; row < last; ++row) sum += counts[row];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 1; d < 1024; d *= 2) {{
    const int before = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }}
  int at = sums[threadIdx.x] - sum;
  for (int64_t row = first; row < last; ++row) {{
    begins[row] = at;
    at += counts[row];
  }}
}}

// In the order of arrival: the rows sort them.
extern "C" __global__ void __launch_bounds__(256)
place_values(const index_t* indices, int* begins, int* places, int64_t count, int64_t rows) {{
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= count) return;
  const int64_t row = indices[i];
  if (row >= 0 && row < rows) places[atomicAdd(begins + row, 1)] = int(i);
}}
)cuda";

}  // namespace

const char* const row_values_text = R"cuda(
constexpr int FEW = 64;  // values that a row puts in order by itself; for more it looks through all indices

struct RowValues {
  const element_t* values;
  const index_t* indices;
  const int* ordered;
  int64_t row, count, width;
  int here;

  // All threads of the block call it together.
  __device__ RowValues(const element_t* values, const index_t* indices, const int* counts, const int* ends,
                       const int* places, int64_t row, int64_t count, int64_t width)
      : values(values), indices(indices), row(row), count(count), width(width), here(counts[row]) {
    __shared__ int found[FEW], in_order[FEW];
    ordered = in_order;
    if (here == 0 || here > FEW) return;
    if (threadIdx.x < here) found[threadIdx.x] = places[ends[row] - here + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < here) {
      int rank = 0;
      for (int i = 0; i < here; ++i) rank += found[i] < found[threadIdx.x];
      in_order[rank] = found[threadIdx.x];
    }
    __syncthreads();
  }

  __device__ value_t sum(int64_t column) const {
    value_t sum = 0;
    if (here <= FEW) {
      for (int i = 0; i < here; ++i) sum = value_t(sum + load(values[ordered[i] * width + column]));
    } else {
      for (int64_t i = 0; i < count; ++i)
        if (int64_t(indices[i]) == row) sum = value_t(sum + load(values[i * width + column]));
    }
    return sum;
  }
};
)cuda";

std::string row_types_text(DType dtype, DType index) {
  return fmt::format(
      "typedef {} element_t;\ntypedef Compute<element_t>::type value_t;\ntypedef {} index_t;\n",
      type_name(dtype), type_name(index));
}

LaunchShape shape_for_rows(int64_t rows, int64_t width) {
  // At least as many as the values that a row puts in order by itself.
  const int64_t threads = std::clamp<int64_t>((width + 31) / 32 * 32, 64, 256);
  return {.blocks = static_cast<unsigned int>(rows), .threads = static_cast<unsigned int>(threads)};
}

RowBuckets::RowBuckets(int64_t rows, int64_t count, DType index) : rows_(rows), count_(count) {
  const std::string written = fmt::format(fmt::runtime(text), fmt::arg("index", type_name(index)));
  for (const char* name : {"count_values", "begin_rows", "place_values"})
    functions_.push_back(make_function(written, name));
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
