// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_COLUMN_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_COLUMN_SUMS_INL_H_
#undef STOKER_COLUMN_SUMS_INL_H_
#else
#define STOKER_COLUMN_SUMS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A vector of columns is summed over the rows in four accumulators, to hide the latency of the
// additions.
struct ColumnSum {
  template <typename Tag>
  HWY_INLINE void operator()(Tag d, int64_t j) const {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    const float* at = x + j;
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4, at += 4 * ld) {
      s0 = hn::Add(s0, hn::LoadU(d, at));
      s1 = hn::Add(s1, hn::LoadU(d, at + ld));
      s2 = hn::Add(s2, hn::LoadU(d, at + 2 * ld));
      s3 = hn::Add(s3, hn::LoadU(d, at + 3 * ld));
    }
    for (; i < rows; ++i, at += ld) s0 = hn::Add(s0, hn::LoadU(d, at));
    const auto sum = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
    hn::StoreU(accumulate ? hn::Add(sum, hn::LoadU(d, out + j)) : sum, d, out + j);
  }
  int64_t rows;
  const float* x;
  int64_t ld;
  bool accumulate;
  float* out;
};

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
