#pragma once
#include "kernel.h"
#include "kernel_source.h"

// Helpers of several planners.
namespace stoker::cuda {

inline std::unique_ptr<Kernel> do_nothing() {  // for empty tensors
  return make_kernel({}, [](Encoder&, void* const*, void*) {});
}

inline int64_t product(const Shape& shape, int begin, int end) {
  int64_t size = 1;
  for (int i = begin; i < end; ++i) size *= shape[i];
  return size;
}
inline int64_t rows_of(const Shape& shape) { return product(shape, 0, shape.rank() - 1); }

inline bool refuse_unless(bool fits, std::string& refusal, const char* what, DType dtype) {
  if (!fits) refusal = fmt::format("{} {}", what, name_of(dtype));
  return !fits;
}
inline bool refuse_non_floats(DType dtype, std::string& refusal) {
  return refuse_unless(is_floating(dtype), refusal, "does not compute in", dtype);
}
inline bool refuse_non_indices(DType dtype, std::string& refusal) {
  return refuse_unless(is_integer(dtype), refusal, "does not support indices of type", dtype);
}

// Threads per row of n elements: a power of two up to a warp.
inline int64_t lanes_for_row(int64_t n) {
  int64_t lanes = 1;
  while (lanes < 32 && lanes < n) lanes *= 2;
  return lanes;
}

}  // namespace stoker::cuda
