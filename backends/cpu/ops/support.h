#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/round_up.h"
#include "core/thread_pool.h"
#include "kernel.h"
#include "sum_order.h"

// Common helpers of the reference kernels.
namespace stoker::cpu {

template <class F>
bool with_number_type(DType dtype, F&& f) {
  return with_float_type(dtype, f) || with_index_type(dtype, f);
}

// A kernel from make(T{}) for the C++ type of dtype, or a refusal that names the dtype.
template <class F>
std::unique_ptr<Kernel> for_floats(DType dtype, std::string& refusal, F&& make) {
  std::unique_ptr<Kernel> kernel;
  if (!with_float_type(dtype, [&](auto zero) { kernel = make(zero); }))
    refusal = fmt::format("does not compute in {}", name_of(dtype));
  return kernel;
}
template <class F>
std::unique_ptr<Kernel> for_indices(DType dtype, std::string& refusal, F&& make) {
  std::unique_ptr<Kernel> kernel;
  if (!with_index_type(dtype, [&](auto zero) { kernel = make(zero); }))
    refusal = fmt::format("does not support indices of type {}", name_of(dtype));
  return kernel;
}
template <class F>
std::unique_ptr<Kernel> for_numbers(DType dtype, std::string& refusal, F&& make) {
  std::unique_ptr<Kernel> kernel;
  if (!with_number_type(dtype, [&](auto zero) { kernel = make(zero); }))
    refusal = fmt::format("does not compute in {}", name_of(dtype));
  return kernel;
}

// The grain size: how many items of this much work repay using one more thread.
inline int64_t grain_for(int64_t work_per_item) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, work_per_item));
}

// The number of parts into which a sum over this many numbers is divided: see sum_order.h.
inline int64_t shares_for(int64_t rows, int64_t columns) {
  const int64_t worth = worthwhile_threads(rows / grain_for(columns), ThreadPool::global().size());
  return std::max<int64_t>(1, std::min<int64_t>(sum_shares() > 0 ? sum_shares() : worth, rows));
}

inline int64_t product(const Shape& shape, int begin, int end) {
  int64_t size = 1;
  for (int i = begin; i < end; ++i) size *= shape[i];
  return size;
}
inline int64_t rows_of(const Shape& shape) { return product(shape, 0, shape.rank() - 1); }

// Columns are summed in blocks whose double accumulators stay in registers and L1.
inline constexpr int64_t column_block = 64;
inline int64_t column_blocks(int64_t columns) { return ceil_div(columns, column_block); }

// Sums in double with independent lanes: accurate enough as a reference.
template <class F>
double sum_of(int64_t n, F&& term) {
  constexpr int64_t lanes = 8;
  double lane[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int64_t l = 0; l < lanes; ++l) lane[l] += static_cast<double>(term(i + l));
  for (; i < n; ++i) lane[0] += static_cast<double>(term(i));
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

}  // namespace stoker::cpu
