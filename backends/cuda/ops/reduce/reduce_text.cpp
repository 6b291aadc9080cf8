#include "ops/reduce/reduce_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "kernel.h"
#include "kernel_source.h"
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

// Types, the join operation, and the offsets of elements.
KernelSource source_for(const char* file, const ReduceAxes& axes, const ReduceKind& kind,
                        int64_t width, int64_t lanes, bool split) {
  const int64_t size = axes.kept_count() * axes.reduced_count() * axes.inner;
  return KernelSource(file)
      .type("element_t", kind.dtype)
      .type("sum_t", kind.accumulator())
      .type("index_t", index_name(size))
      .constant("width", width)
      .constant("threads", reduce_threads)
      .constant("lanes", lanes)
      .constant("split", split)
      .constant("is_max", kind.op == "reduce_max")
      .constant("is_min", kind.op == "reduce_min")
      .constant("is_integer", !is_floating(kind.dtype))
      .macro("IDENTITY", fmt::format("sum_t({})", identity_text(kind)))
      .offset("kept_at", axes.kept, axes.kept_strides)
      .offset("reduced_at", axes.reduced, axes.reduced_strides);
}

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
  return source_for("reduce/rows.cuh", axes, kind, width, lanes, split);
}

std::string columns_text(const ReduceAxes& axes, const ReduceKind& kind, int64_t width,
                         int64_t lanes, bool split) {
  return source_for("reduce/columns.cuh", axes, kind, width, lanes, split)
      .constant("inner", axes.inner);
}

}  // namespace stoker::cuda
