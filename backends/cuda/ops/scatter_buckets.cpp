#include "ops/support.h"

// scatter_add into large tables, as the gradient of an embedding is: which values go to which row
// is found once, not by every row. Rows take their values in order, so that sums are the same every
// time.
namespace stoker::cuda {
namespace {

constexpr int64_t worth_it = 4096;  // rows times values; fewer are looked through at once

const char* const text = R"cuda(
typedef {type} element_t;
typedef Compute<element_t>::type value_t;
constexpr int FEW = 64;  // values that a row puts in order by itself

extern "C" __global__ void __launch_bounds__(256) count_values(const {index}* indices, int* counts, int64_t count, int64_t rows) {{
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
place_values(const {index}* indices, int* begins, int* places, int64_t count, int64_t rows) {{
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= count) return;
  const int64_t row = indices[i];
  if (row >= 0 && row < rows) places[atomicAdd(begins + row, 1)] = int(i);
}}

// `ends` are where the rows' values end. A row of many values looks through all indices.
extern "C" __global__ void __launch_bounds__(256)
add_values(const element_t* values, const {index}* indices, const int* counts, const int* ends, const int* places,
           element_t* out, int64_t count, int64_t width) {{
  __shared__ int found[FEW], ordered[FEW];
  const int64_t row = blockIdx.x;
  const int here = counts[row], begin = ends[row] - here;
  if (here <= FEW) {{
    if (threadIdx.x < here) found[threadIdx.x] = places[begin + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < here) {{
      int rank = 0;
      for (int i = 0; i < here; ++i) rank += found[i] < found[threadIdx.x];
      ordered[rank] = found[threadIdx.x];
    }}
    __syncthreads();
  }}
  for (int64_t column = threadIdx.x; column < width; column += 256) {{
    value_t sum = 0;
    if (here <= FEW) {{
      for (int i = 0; i < here; ++i) sum = value_t(sum + load(values[ordered[i] * width + column]));
    }} else {{
      for (int64_t i = 0; i < count; ++i)
        if (int64_t(indices[i]) == row) sum = value_t(sum + load(values[i * width + column]));
    }}
    out[row * width + column] = store<element_t>(sum);
  }}
}}
)cuda";

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[0].dtype, index = node.in[1].dtype;
  const Shape& out = node.out[0].shape;
  const int64_t rows = out[0], width = product(out, 1, out.rank()), count = node.in[1].shape.size();
  if (refuse_non_indices(index, refusal) || refuse_non_floats(dtype, refusal)) return nullptr;
  if (rows * count < worth_it || width == 0 || count >= int64_t{1} << 31) {
    refusal = "for large tables";
    return nullptr;
  }
  const std::string written = fmt::format(fmt::runtime(text), fmt::arg("type", type_name(dtype)),
                                          fmt::arg("index", type_name(index)));
  const auto counting = make_function(written, "count_values"),
             beginning = make_function(written, "begin_rows"),
             placing = make_function(written, "place_values"),
             adding = make_function(written, "add_values");
  const auto table = static_cast<uint64_t>(rows) * sizeof(int);
  return make_kernel(
      {counting, beginning, placing, adding},
      [=](Encoder& encoder, void* const* a, void* workspace) {
        auto* counts = static_cast<int*>(workspace);
        int *begins = counts + rows, *places = begins + rows;
        encoder.fill(counts, 0, table);
        encoder.launch(*counting, {.blocks = blocks_for(count)}, a[1], counts, count, rows);
        encoder.launch(*beginning, {.threads = 1024}, counts, begins, rows);
        encoder.launch(*placing, {.blocks = blocks_for(count)}, a[1], begins, places, count, rows);
        encoder.launch(*adding, {.blocks = static_cast<unsigned int>(rows)}, a[0], a[1], counts,
                       begins, places, a[2], count, width);
      },
      2 * table + static_cast<uint64_t>(count) * sizeof(int));
}

const RegisterKernel scatter{"scatter_add", "buckets", specialised, plan};

}  // namespace
}  // namespace stoker::cuda
