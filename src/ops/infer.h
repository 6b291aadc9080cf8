#pragma once
#include <fmt/format.h>

#include <span>

#include "graph/promotion.h"
#include "stoker/error.h"

// Checks shared by many shape rules.
namespace stoker::ops {

using graph::Attrs;
using graph::Gradient;
using graph::RegisterOp;
using Types = std::span<const TensorType>;
using OutTypes = std::vector<TensorType>;

inline void expect(bool ok, const std::string& what, const std::string& hint = {}) {
  if (!ok) throw InvalidArgument(what, hint);
}
inline void expect_inputs(Types in, size_t count) {
  expect(in.size() == count, fmt::format("takes {} inputs, got {}.", count, in.size()));
}
inline void expect_rank(const TensorType& type, int rank, const char* what) {
  expect(type.shape.rank() == rank,
         fmt::format("expects {} with {} dimensions, got {}.", what, rank, to_string(type.shape)));
}
inline void expect_float(const TensorType& type) {
  expect(is_floating(type.dtype),
         fmt::format("needs a floating-point type, got {}.", name_of(type.dtype)),
         "cast it first, or put Rescaling in front.");
}
// The accumulator type for sums of very many elements.
inline DType sum_type(DType dtype) { return is_half(dtype) ? DType::float32 : dtype; }
inline void expect_same_dtype(Types in) {
  for (const auto& type : in)
    expect(
        type.dtype == in[0].dtype,
        fmt::format("needs one dtype, got {} and {}.", name_of(in[0].dtype), name_of(type.dtype)),
        "cast one of them.");
}

// For a gather: the indices, and the gathered rows read and written.
inline double bytes_of_gather(Types in, Types out, const Attrs&) {
  return graph::bytes_of(in.last(1)) + 2 * graph::bytes_of(out);
}

}  // namespace stoker::ops
