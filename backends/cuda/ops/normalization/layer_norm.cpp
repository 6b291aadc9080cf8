#include <algorithm>

#include "ops/layout_text.h"
#include "ops/support.h"

// Layer normalisation: a warp or a block has a row, whose values stay in registers between the sums
// and their use. On the way back a block keeps the sums for gamma and beta over all its rows.
namespace stoker::cuda {
namespace {

constexpr int64_t threads = 256;

const char* const common_text = R"cuda({vectors}
typedef {type} element_t;
typedef {column_type} column_t;
typedef {row_type} row_t;
typedef Compute<element_t>::type value_t;
constexpr int width = {width}, lanes = {lanes}, columns = {columns}, packs = columns / width;
constexpr int each = (packs + lanes - 1) / lanes;  // packs of a thread
constexpr int64_t rows = {rows};
typedef Vec<element_t, width> Pack;

__device__ __forceinline__ int lane() {{ return threadIdx.x % lanes; }}
// f(number of the pack, its first column) for the packs of this thread.
template <class F> __device__ __forceinline__ void for_packs(const F& f) {{
#pragma unroll
  for (int p = 0; p < each; ++p)
    if (p * lanes + lane() < packs) f(p, (p * lanes + lane()) * width);
}}
// f(row, is it one?) for the rows of these threads. All threads of a block come along, those without
// a row on the last one.
template <class F> __device__ __forceinline__ void for_rows(const F& f) {{
  constexpr int at_once = 256 / lanes;
  for (int64_t first = int64_t(blockIdx.x) * at_once; first < rows;
       first += int64_t(gridDim.x) * at_once) {{
    const int64_t r = first + threadIdx.x / lanes;
    f(r < rows ? r : rows - 1, r < rows);
  }}
}}
__device__ __forceinline__ value_t sum_of_row(value_t x) {{
  for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
  if (lanes <= 32) return x;
  __shared__ value_t warps[8];
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  x = 0;
  for (int w = 0; w < 8; ++w) x += warps[w];
  return x;
}}
)cuda";

const char* const forward_text = R"cuda(
extern "C" __global__ void __launch_bounds__(256)
normalise(const element_t* x, const column_t* gamma, const column_t* beta, element_t* y,
          row_t* means, row_t* factors, int aligned, value_t epsilon) {
  for_rows([&](int64_t r, bool is_row) {
    value_t v[each * width];
    value_t sum = 0;
    for_packs([&](int p, int c) {
      const Pack in = load_vector<width>(x + r * columns + c, aligned);
      for (int i = 0; i < width; ++i) sum += v[p * width + i] = load(in.at[i]);
    });
    const value_t mean = sum_of_row(sum) / value_t(columns);
    value_t squares = 0;
    for_packs([&](int p, int) {
      for (int i = 0; i < width; ++i) {
        v[p * width + i] -= mean;
        squares += v[p * width + i] * v[p * width + i];
      }
    });
    const value_t factor = value_t(1) / sqrt(sum_of_row(squares) / value_t(columns) + epsilon);
    if (is_row) for_packs([&](int p, int c) {
      Pack out;
      for (int i = 0; i < width; ++i)
        out.at[i] = store<element_t>(v[p * width + i] * factor * value_t(load(gamma[c + i])) +
                                     value_t(load(beta[c + i])));
      if (aligned)
        store_vector(y + r * columns + c, out);
      else
        for (int i = 0; i < width; ++i) y[r * columns + c + i] = out.at[i];
    });
    if (is_row && lane() == 0) {
      means[r] = store<row_t>(mean);
      factors[r] = store<row_t>(factor);
    }
  });
}
)cuda";

const char* const backward_text = R"cuda(
extern "C" __global__ void __launch_bounds__(256)
differentiate(const element_t* dy, const element_t* x, const row_t* means, const row_t* factors,
              const column_t* gamma, element_t* dx, value_t* parts, int aligned) {
  value_t for_gamma[each * width] = {}, for_beta[each * width] = {};
  for_rows([&](int64_t r, bool is_row) {
    const value_t mean = load(means[r]), factor = load(factors[r]);
    value_t g[each * width], unit[each * width];
    value_t along_mean = 0, along_unit = 0;
    for_packs([&](int p, int c) {
      const Pack in = load_vector<width>(x + r * columns + c, aligned),
                 out = load_vector<width>(dy + r * columns + c, aligned);
      for (int i = 0; i < width; ++i) {
        const int k = p * width + i;
        const value_t gradient = load(out.at[i]);
        unit[k] = (load(in.at[i]) - mean) * factor;
        if (is_row) {
          for_gamma[k] += gradient * unit[k];
          for_beta[k] += gradient;
        }
        g[k] = gradient * value_t(load(gamma[c + i]));
        along_mean += g[k];
        along_unit += g[k] * unit[k];
      }
    });
    along_mean = sum_of_row(along_mean) / value_t(columns);
    along_unit = sum_of_row(along_unit) / value_t(columns);
    if (is_row) for_packs([&](int p, int c) {
      Pack out;
      for (int i = 0; i < width; ++i)
        out.at[i] = store<element_t>(factor * (g[p * width + i] - along_mean -
                                               unit[p * width + i] * along_unit));
      if (aligned)
        store_vector(dx + r * columns + c, out);
      else
        for (int i = 0; i < width; ++i) dx[r * columns + c + i] = out.at[i];
    });
  });
  // The block's rows, one after the other.
  value_t* own = parts + int64_t(blockIdx.x) * 2 * columns;
  for (int turn = 0; turn < 256 / lanes; ++turn) {
    if (threadIdx.x / lanes == turn)
      for_packs([&](int p, int c) {
        for (int i = 0; i < width; ++i) {
          own[c + i] = (turn ? own[c + i] : value_t(0)) + for_gamma[p * width + i];
          own[columns + c + i] = (turn ? own[columns + c + i] : value_t(0)) + for_beta[p * width + i];
        }
      });
    __syncthreads();
  }
}

// A warp for each column's sum.
extern "C" __global__ void __launch_bounds__(256)
join(const value_t* parts, int blocks, column_t* dgamma, column_t* dbeta) {
  const int at = blockIdx.x * 8 + threadIdx.x / 32;
  value_t sum = 0;
  if (at < 2 * columns)
    for (int b = threadIdx.x % 32; b < blocks; b += 32) sum += parts[int64_t(b) * 2 * columns + at];
  sum = warp_sum(sum);
  if (at < 2 * columns && threadIdx.x % 32 == 0)
    (at < columns ? dgamma : dbeta)[at % columns] = store<column_t>(sum);
}
)cuda";

struct Layout {
  int64_t rows, columns, element_bytes, width, lanes, blocks;
  bool is_double;
  double epsilon;
  std::string text;

  LaunchShape shape() const {
    return {.blocks = static_cast<unsigned int>(blocks),
            .threads = static_cast<unsigned int>(threads)};
  }
  int aligned(std::initializer_list<void*> tensors) const {
    return std::all_of(tensors.begin(), tensors.end(),
                       [&](void* p) { return is_aligned(p, width * element_bytes); });
  }
};

bool serves(const TensorType& x, std::string& refusal) {
  constexpr int64_t most_columns = 16384;  // in the registers of a block
  if (x.shape.back() > most_columns)
    refusal = fmt::format("takes up to {} columns, got {}", most_columns, x.shape.back());
  return refusal.empty() && !refuse_non_floats(x.dtype, refusal);
}

Layout layout(const NodeView& node, const TensorType& x, const TensorType& column,
              const TensorType& row) {
  constexpr int64_t worth_a_block = 2048;
  Layout l;
  l.rows = rows_of(x.shape);
  l.columns = x.shape.back();
  l.element_bytes = static_cast<int64_t>(size_of(x.dtype));
  l.width = 16 / l.element_bytes;
  while (l.columns % l.width != 0) l.width /= 2;
  l.lanes = l.columns >= worth_a_block ? threads : lanes_for_row(l.columns / l.width);
  const int64_t at_once = threads / l.lanes;
  l.blocks = std::clamp<int64_t>((l.rows + at_once - 1) / at_once, 1,
                                 4 * std::max(1, current_gpu().multiprocessors));
  l.is_double = x.dtype == DType::float64;
  l.epsilon = node.number("epsilon");
  l.text = fmt::format(
      fmt::runtime(common_text), fmt::arg("vectors", vector_helpers),
      fmt::arg("type", type_name(x.dtype)), fmt::arg("column_type", type_name(column.dtype)),
      fmt::arg("row_type", type_name(row.dtype)), fmt::arg("width", l.width),
      fmt::arg("lanes", l.lanes), fmt::arg("columns", l.columns), fmt::arg("rows", l.rows));
  return l;
}

// x, gamma, beta → y, mean, 1 / deviation
std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  if (!serves(node.in[0], refusal)) return nullptr;
  if (node.in[0].shape.size() == 0) return do_nothing();
  const Layout l = layout(node, node.in[0], node.in[1], node.out[1]);
  const auto normalise = make_function(l.text + forward_text, "normalise");
  return make_kernel({normalise}, [=](Encoder& encoder, void* const* a, void*) {
    const int aligned = l.aligned({a[0], a[3]});
    if (l.is_double)
      encoder.launch(*normalise, l.shape(), a[0], a[1], a[2], a[3], a[4], a[5], aligned, l.epsilon);
    else
      encoder.launch(*normalise, l.shape(), a[0], a[1], a[2], a[3], a[4], a[5], aligned,
                     static_cast<float>(l.epsilon));
  });
}

// dy, x, mean, 1 / deviation, gamma → dx, dgamma, dbeta
std::unique_ptr<Kernel> plan_backward(const NodeView& node, std::string& refusal) {
  if (!serves(node.in[1], refusal)) return nullptr;
  if (node.in[1].shape.size() == 0) refusal = "there is nothing to normalise";
  if (!refusal.empty()) return nullptr;
  const Layout l = layout(node, node.in[1], node.in[4], node.in[2]);
  const std::string text = l.text + backward_text;
  const auto differentiate = make_function(text, "differentiate"),
             join = make_function(text, "join");
  const LaunchShape columns{.blocks = static_cast<unsigned int>((2 * l.columns + 7) / 8)};
  return make_kernel(
      {differentiate, join},
      [=](Encoder& encoder, void* const* a, void* parts) {
        encoder.launch(*differentiate, l.shape(), a[0], a[1], a[2], a[3], a[4], a[5], parts,
                       l.aligned({a[0], a[1], a[5]}));
        encoder.launch(*join, columns, parts, static_cast<int>(l.blocks), a[6], a[7]);
      },
      static_cast<uint64_t>(l.blocks * 2 * l.columns * (l.is_double ? 8 : 4)));
}

const RegisterKernel forward{"layer_norm", "rows", optimised, plan_forward};
const RegisterKernel backward{"layer_norm_grad", "rows", optimised, plan_backward};

}  // namespace
}  // namespace stoker::cuda
