#include "ops/reduce/reduce_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "kernel.h"
#include "ops/layout_text.h"

namespace stoker::cuda {
namespace {

int64_t product(const std::vector<int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

std::string identity_text(const ReduceKind& kind) {
  if (kind.op == "reduce_sum") return "0";
  const bool largest = kind.op == "reduce_min";
  if (is_floating(kind.dtype)) return largest ? "INFINITY_F" : "-INFINITY_F";
  switch (kind.dtype) {
    case DType::int8:
      return largest ? "127" : "-128";
    case DType::uint8:
      return largest ? "255" : "0";
    case DType::int32:
      return largest ? "2147483647" : "-2147483647 - 1";
    default:
      return largest ? "9223372036854775807LL" : "-9223372036854775807LL - 1";
  }
}

std::string join_text(const ReduceKind& kind) {
  if (kind.op != "reduce_sum")  // NaN spreads
    return fmt::format("b {} a || b != b ? b : a", kind.op == "reduce_max" ? '>' : '<');
  return is_floating(kind.dtype) ? "a + b" : "sum_t(uint64_t(a) + uint64_t(b))";
}

// Types, joining, and where elements lie.
std::string common_text(const ReduceAxes& axes, const ReduceKind& kind, int64_t width) {
  const int64_t size = axes.kept_count() * axes.reduced_count() * axes.inner;
  return fmt::format(
      R"cuda({vectors}{last_block}
typedef {type} element_t;
typedef {sum} sum_t;
typedef {index} index_t;
constexpr int width = {width}, threads = {threads};
#define IDENTITY sum_t({identity})
__device__ __forceinline__ sum_t join(sum_t a, sum_t b) {{ return {join}; }}
__device__ __forceinline__ index_t kept_at(index_t o) {{ return {kept}; }}
__device__ __forceinline__ index_t reduced_at(index_t r) {{ return {reduced}; }}
)cuda",
      fmt::arg("vectors", vector_helpers), fmt::arg("last_block", last_block_helpers),
      fmt::arg("type", type_name(kind.dtype)), fmt::arg("sum", kind.accumulator()),
      fmt::arg("index", index_name(size)), fmt::arg("width", width),
      fmt::arg("threads", reduce_threads), fmt::arg("identity", identity_text(kind)),
      fmt::arg("join", join_text(kind)),
      fmt::arg("kept", offset_text("o", axes.kept, axes.kept_strides)),
      fmt::arg("reduced", offset_text("r", axes.reduced, axes.reduced_strides)));
}

const char* const rows_body = R"cuda(
// All threads of the block, or each group of `lanes` neighbours, get their joined value.
__device__ __forceinline__ sum_t join_lanes(sum_t x) {
  for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2)
    x = join(x, __shfl_xor_sync(0xffffffffu, x, d));
  if (lanes <= 32) return x;
  __shared__ sum_t warps[threads / 32];
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  x = warps[0];
  for (int w = 1; w < threads / 32; ++w) x = join(x, warps[w]);
  return x;
}

extern "C" __global__ void __launch_bounds__(threads)
reduce(const element_t* in, element_t* out, sum_t* parts, int64_t outputs, int64_t length, int aligned) {
  const int lane = threadIdx.x % lanes;
  const index_t o = index_t(blockIdx.x) * (threads / lanes) + index_t(threadIdx.x / lanes);
  const index_t units = index_t(length) / width;
  const index_t share = (units + index_t(gridDim.y) - 1) / index_t(gridDim.y);
  const index_t begin = index_t(blockIdx.y) * share;
  const index_t end = o >= index_t(outputs) ? 0 : begin + share < units ? begin + share : units;
  const element_t* row = in + (o < index_t(outputs) ? kept_at(o) : 0);
  sum_t sum[width];
  for (int k = 0; k < width; ++k) sum[k] = IDENTITY;
#pragma unroll 4
  for (index_t u = begin + lane; u < end; u += lanes) {
    const auto x = load_vector<width>(row + reduced_at(u * width), aligned);
    for (int k = 0; k < width; ++k) sum[k] = join(sum[k], sum_t(load(x.at[k])));
  }
  for (int k = 1; k < width; ++k) sum[0] = join(sum[0], sum[k]);
  sum_t total = join_lanes(sum[0]);
  if (split) {
    const int blocks = gridDim.y;
    if (threadIdx.x == 0) parts[o * blocks + blockIdx.y] = total;
    if (!is_last_block(blockIdx.x, blocks)) return;
    volatile const sum_t* mine = parts + o * blocks;
    total = IDENTITY;
    for (int i = threadIdx.x; i < blocks; i += threads) total = join(total, mine[i]);
    total = join_lanes(total);
  }
  if (lane == 0 && o < index_t(outputs)) out[o] = store<element_t>(total);
}
)cuda";

const char* const columns_body = R"cuda(
constexpr int rows = threads / lanes;  // that are read at once

// Joins what the threads of a column hold; the first row has the result.
__device__ __forceinline__ void join_rows(sum_t (&sum)[width], int x, int y) {
  __shared__ sum_t tile[rows * lanes * width];
  sum_t* mine = tile + (y * lanes + x) * width;
  __syncthreads();
  if (y < rows)
    for (int k = 0; k < width; ++k) mine[k] = sum[k];
  __syncthreads();
  for (int left = rows; left > 1; left = (left + 1) / 2) {
    const int half = (left + 1) / 2;
    if (y < left - half)
      for (int k = 0; k < width; ++k) mine[k] = join(mine[k], mine[half * lanes * width + k]);
    __syncthreads();
  }
  for (int k = 0; k < width; ++k) sum[k] = tile[x * width + k];
}

extern "C" __global__ void __launch_bounds__(threads)
reduce(const element_t* in, element_t* out, sum_t* parts, int64_t outputs, int64_t length, int aligned) {
  constexpr index_t tiles = (inner + lanes * width - 1) / (lanes * width);
  const int x = threadIdx.x % lanes, y = threadIdx.x / lanes;
  const index_t o = index_t(blockIdx.x) / tiles;
  const index_t column = (index_t(blockIdx.x) % tiles * lanes + x) * width;
  const index_t share = (index_t(length) + index_t(gridDim.y) - 1) / index_t(gridDim.y);
  const index_t begin = index_t(blockIdx.y) * share;
  const index_t end = begin + share < index_t(length) ? begin + share : index_t(length);
  const bool reads = y < rows && column < inner;
  const element_t* from = in + kept_at(o) + column;
  sum_t sum[width];
  for (int k = 0; k < width; ++k) sum[k] = IDENTITY;
  if (reads) {
#pragma unroll 4
    for (index_t r = begin + y; r < end; r += rows) {
      const auto v = load_vector<width>(from + reduced_at(r), aligned);
      for (int k = 0; k < width; ++k) sum[k] = join(sum[k], sum_t(load(v.at[k])));
    }
  }
  join_rows(sum, x, y);
  if (split) {
    const int blocks = gridDim.y;
    sum_t* group = parts + index_t(blockIdx.x) * blocks * (lanes * width) + x * width;
    if (y == 0)
      for (int k = 0; k < width; ++k) group[index_t(blockIdx.y) * (lanes * width) + k] = sum[k];
    if (!is_last_block(blockIdx.x, blocks)) return;
    for (int k = 0; k < width; ++k) sum[k] = IDENTITY;
    if (y < rows)
      for (int b = y; b < blocks; b += rows)
        for (int k = 0; k < width; ++k)
          sum[k] = join(sum[k], ((volatile sum_t*)group)[b * (lanes * width) + k]);
    join_rows(sum, x, y);
  }
  if (y == 0 && column < inner)
    for (int k = 0; k < width; ++k) out[o * inner + column + k] = store<element_t>(sum[k]);
}
)cuda";

}  // namespace

int64_t ReduceAxes::kept_count() const { return product(kept); }
int64_t ReduceAxes::reduced_count() const { return product(reduced); }

bool ReduceAxes::reads_whole(int64_t width) const {
  const auto fits = [&](int64_t stride) { return stride % width == 0; };
  if (inner > 1) return inner % width == 0;
  if (reduced.empty() || reduced.back() % width != 0 || reduced_strides.back() != 1) return false;
  return std::all_of(reduced_strides.begin(), reduced_strides.end() - 1, fits) &&
         std::all_of(kept_strides.begin(), kept_strides.end(), fits);
}

ReduceAxes reduce_axes(const Shape& shape, const std::vector<int64_t>& axis) {
  std::vector<bool> is_reduced(static_cast<size_t>(shape.rank()), axis.empty());
  for (int64_t a : axis) is_reduced[static_cast<size_t>(normalize_axis(a, shape.rank()))] = true;
  ReduceAxes axes;
  int64_t stride = 1;
  bool first = true, last_kind = false;
  for (int d = shape.rank(); d-- > 0; stride *= shape[d]) {
    if (shape[d] == 1) continue;
    const bool reduces = is_reduced[static_cast<size_t>(d)];
    auto& dims = reduces ? axes.reduced : axes.kept;
    auto& strides = reduces ? axes.reduced_strides : axes.kept_strides;
    if (!first && reduces == last_kind) {
      dims.front() *= shape[d];
    } else {
      dims.insert(dims.begin(), shape[d]);
      strides.insert(strides.begin(), stride);
    }
    first = false;
    last_kind = reduces;
  }
  if (product(axes.reduced) == 0) axes.reduced = axes.reduced_strides = {0};
  if (!axes.kept.empty() && axes.kept_strides.back() == 1) {
    axes.inner = axes.kept.back();
    axes.kept.pop_back();
    axes.kept_strides.pop_back();
  }
  return axes;
}

const char* ReduceKind::accumulator() const {
  if (dtype == DType::float64) return "double";
  if (is_floating(dtype)) return "float";
  return dtype == DType::int64 ? "int64_t" : "int32_t";
}
int64_t ReduceKind::accumulator_bytes() const {
  return dtype == DType::float64 || dtype == DType::int64 ? 8 : 4;
}

std::string rows_text(const ReduceAxes& axes, const ReduceKind& kind, int64_t width, int64_t lanes,
                      bool split) {
  return common_text(axes, kind, width) +
         fmt::format("constexpr int lanes = {}; constexpr bool split = {};\n", lanes, split) +
         rows_body;
}

std::string columns_text(const ReduceAxes& axes, const ReduceKind& kind, int64_t width,
                         int64_t lanes, bool split) {
  return common_text(axes, kind, width) +
         fmt::format(
             "constexpr int lanes = {}; constexpr index_t inner = {};\n"
             "constexpr bool split = {};\n",
             lanes, axes.inner, split) +
         columns_body;
}

}  // namespace stoker::cuda
