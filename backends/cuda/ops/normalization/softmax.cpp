#include "ops/support.h"

// Softmax and cross-entropy over the last axis: a few lanes, a warp or a block a row.
namespace stoker::cuda {
namespace {

// How the rows are spread over threads.
struct Rows {
  int64_t rows, classes, lanes, per_block, blocks;
};

Rows rows_for(const Shape& shape) {
  constexpr int64_t threads = 256, worth_a_block = 4096;
  const int64_t classes = shape.back();
  const int64_t lanes = classes >= worth_a_block ? threads : lanes_for_row(classes);
  const int64_t rows = rows_of(shape), per_block = threads / lanes;
  return {rows, classes, lanes, per_block, (rows + per_block - 1) / per_block};
}

// Each thread of a row gets the largest value and the sum of exponentials of what lies before it.
const char* const row_text = R"cuda(
typedef {type} element_t;
typedef Compute<element_t>::type value_t;
constexpr int lanes = {lanes};
__device__ __forceinline__ value_t join(value_t a, value_t b, bool largest) {{
  return largest ? (b > a || b != b ? b : a) : a + b;
}}
__device__ __forceinline__ value_t across(value_t x, bool largest) {{
  for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2)
    x = join(x, __shfl_xor_sync(0xffffffffu, x, d), largest);
  if (lanes <= 32) return x;
  __shared__ value_t warps[8];
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  x = warps[0];
  for (int w = 1; w < 8; ++w) x = join(x, warps[w], largest);
  return x;
}}
struct Row {{
  const element_t* x;
  int64_t n;  // 0 where there is no row for these threads
  int lane;
  value_t largest, sum;
}};
__device__ __forceinline__ Row read_row(const element_t* in, int64_t rows, int64_t n, int64_t& r) {{
  r = blockIdx.x * int64_t(256 / lanes) + threadIdx.x / lanes;
  Row row;
  row.lane = threadIdx.x % lanes;
  row.n = r < rows ? n : 0;
  row.x = in + (r < rows ? r * n : 0);
  value_t m = -INFINITY_F;
  for (int64_t i = row.lane; i < row.n; i += lanes) m = join(m, load(row.x[i]), true);
  row.largest = across(m, true);
  value_t s = 0;
  for (int64_t i = row.lane; i < row.n; i += lanes) s += exp{f}(load(row.x[i]) - row.largest);
  row.sum = across(s, false);
  return row;
}}
)cuda";

const char* const softmax_text = R"cuda(
extern "C" __global__ void __launch_bounds__(256)
softmax(const element_t* in, element_t* out, int64_t rows, int64_t n) {{
  int64_t r;
  const Row row = read_row(in, rows, n, r);
  const value_t scale = value_t(1) / row.sum;
  for (int64_t i = row.lane; i < row.n; i += lanes)
    out[r * n + i] = store<element_t>(exp{f}(load(row.x[i]) - row.largest) * scale);
}}
)cuda";

const char* const log_softmax_text = R"cuda(
extern "C" __global__ void __launch_bounds__(256)
log_softmax(const element_t* in, element_t* out, int64_t rows, int64_t n) {{
  int64_t r;
  const Row row = read_row(in, rows, n, r);
  const value_t log_sum = log{f}(row.sum);
  for (int64_t i = row.lane; i < row.n; i += lanes)
    out[r * n + i] = store<element_t>(load(row.x[i]) - row.largest - log_sum);
}}
)cuda";

// A label out of range gives NaN.
const char* const sparse_text = R"cuda(
extern "C" __global__ void __launch_bounds__(256)
cross_entropy(const {label}* labels, const element_t* in, element_t* out, int64_t rows, int64_t n) {{
  int64_t r;
  const Row row = read_row(in, rows, n, r);
  if (row.n == 0 || row.lane != 0) return;
  const int64_t label = labels[r];
  const bool bad = label < 0 || label >= n;
  const value_t loss = log{f}(row.sum) - (load(row.x[bad ? 0 : label]) - row.largest);
  out[r] = store<element_t>(bad ? value_t(NAN_F) : loss);
}}
)cuda";

const char* const sparse_grad_text = R"cuda(
typedef {type} element_t;
typedef Compute<element_t>::type value_t;
extern "C" __global__ void __launch_bounds__(256)
cross_entropy_grad(const {label}* labels, const element_t* softmax, const element_t* scales, element_t* out,
                   int64_t size, int64_t n) {{
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= size) return;
  const int64_t r = i / n, label = labels[r];
  const value_t scale = label < 0 || label >= n ? value_t(NAN_F) : load(scales[r]);
  const value_t x = load(softmax[i]) * scale;
  out[i] = store<element_t>(i - r * n == label ? x - scale : x);
}}
)cuda";

template <class... More>
std::shared_ptr<Function> write(const std::string& text, const char* entry, DType dtype,
                                const More&... more) {
  return make_function(fmt::format(fmt::runtime(text), fmt::arg("type", type_name(dtype)),
                                   fmt::arg("f", dtype == DType::float64 ? "" : "f"), more...),
                       entry);
}

std::unique_ptr<Kernel> plan_rows(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[0].dtype;
  if (refuse_non_floats(dtype, refusal)) return nullptr;
  if (node.in[0].shape.size() == 0) return do_nothing();
  const Rows rows = rows_for(node.in[0].shape);
  const bool logarithm = node.op == "log_softmax";
  const auto function =
      write(std::string(row_text) + (logarithm ? log_softmax_text : softmax_text),
            logarithm ? "log_softmax" : "softmax", dtype, fmt::arg("lanes", rows.lanes));
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = static_cast<unsigned int>(rows.blocks)}, a[0], a[1],
                   rows.rows, rows.classes);
  });
}

std::unique_ptr<Kernel> plan_sparse(const NodeView& node, std::string& refusal) {
  const DType label = node.in[0].dtype, dtype = node.in[1].dtype;
  if (refuse_non_indices(label, refusal) || refuse_non_floats(dtype, refusal)) return nullptr;
  if (node.in[1].shape.size() == 0) return do_nothing();
  const Rows rows = rows_for(node.in[1].shape);
  const auto function = write(std::string(row_text) + sparse_text, "cross_entropy", dtype,
                              fmt::arg("lanes", rows.lanes), fmt::arg("label", type_name(label)));
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = static_cast<unsigned int>(rows.blocks)}, a[0], a[1], a[2],
                   rows.rows, rows.classes);
  });
}

std::unique_ptr<Kernel> plan_sparse_grad(const NodeView& node, std::string& refusal) {
  const DType label = node.in[0].dtype, dtype = node.in[1].dtype;
  if (refuse_non_indices(label, refusal) || refuse_non_floats(dtype, refusal)) return nullptr;
  const int64_t size = node.in[1].shape.size(), classes = node.in[1].shape.back();
  if (size == 0) return do_nothing();
  const auto function =
      write(sparse_grad_text, "cross_entropy_grad", dtype, fmt::arg("label", type_name(label)));
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = blocks_for(size)}, a[0], a[1], a[2], a[3], size, classes);
  });
}

const RegisterKernel softmax{"softmax", "lanes", optimised, plan_rows};
const RegisterKernel log_softmax{"log_softmax", "lanes", optimised, plan_rows};
const RegisterKernel sparse{"sparse_softmax_cross_entropy", "lanes", optimised, plan_sparse};
const RegisterKernel sparse_grad{"sparse_softmax_cross_entropy_grad", "elements", optimised,
                                 plan_sparse_grad};

}  // namespace
}  // namespace stoker::cuda
