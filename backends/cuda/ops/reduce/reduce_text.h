#pragma once
#include <string>
#include <vector>

#include "device/node_view.h"

namespace stoker::cuda {

// The axes of a reduction's input, with neighbours of one kind merged, in elements.
struct ReduceAxes {
  std::vector<int64_t> kept, kept_strides, reduced, reduced_strides;
  int64_t inner = 1;  // innermost kept axes; 1: the innermost axis is reduced

  int64_t kept_count() const;  // without `inner`
  int64_t reduced_count() const;
  bool reads_whole(int64_t width) const;  // groups of `width` are contiguous
};
ReduceAxes reduce_axes(const Shape& shape, const std::vector<int64_t>& axis);

// The operation and its types.
struct ReduceKind {
  std::string op;  // reduce_sum, reduce_max, reduce_min
  DType dtype;
  int64_t bytes() const { return static_cast<int64_t>(size_of(dtype)); }
  int64_t vector_width() const { return 16 / bytes(); }
  const char* accumulator() const;
  int64_t accumulator_bytes() const;
};

inline constexpr int64_t reduce_threads = 256;

// reduce(in, out, parts, outputs, length, aligned): `lanes` threads per output, 1 to 32 or the
// whole block; `split` over gridDim.y blocks.
std::string rows_text(const ReduceAxes& axes, const ReduceKind& kind, int64_t width, int64_t lanes,
                      bool split);
// reduce(in, out, parts, outputs, length, aligned): a tile of `lanes` times `width` columns per
// block.
std::string columns_text(const ReduceAxes& axes, const ReduceKind& kind, int64_t width,
                         int64_t lanes, bool split);

}  // namespace stoker::cuda
