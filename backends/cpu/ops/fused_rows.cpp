#include "ops/fused_rows.h"

// foreach_target.h compiles this file again for each target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fused_rows.cpp"
#include "core/simd_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/elementwise/elementwise_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

constexpr int64_t lanes = hn::MaxLanes(D());

// The last, shorter vector of a row, padded with neutral values.
HWY_INLINE V load_rest(const float* x, int64_t count, float filler) {
  HWY_ALIGN float rest[lanes];
  hn::Store(constant(filler), D(), rest);
  for (int64_t i = 0; i < count; ++i) rest[i] = x[i];
  return hn::Load(D(), rest);
}
HWY_INLINE void store_rest(V v, int64_t count, float* y) {
  HWY_ALIGN float rest[lanes];
  hn::Store(v, D(), rest);
  for (int64_t i = 0; i < count; ++i) y[i] = rest[i];
}

HWY_INLINE float lowest() { return -std::numeric_limits<float>::infinity(); }

HWY_INLINE float largest(const float* x, int64_t n) {
  V best = constant(lowest());
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) best = hn::Max(best, hn::LoadU(D(), x + i));
  if (i < n) best = hn::Max(best, load_rest(x + i, n - i, lowest()));
  return hn::GetLane(hn::MaxOfLanes(D(), best));
}

// Sums exp(x - shift), and passes each vector to `put` (vector, position, count).
template <class Put>
HWY_INLINE float sum_exponentials(const float* x, int64_t n, float shift, const Put& put) {
  const V by = constant(shift);
  V sum = hn::Zero(D());
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V e = Exponential()(hn::Sub(hn::LoadU(D(), x + i), by));
    sum = hn::Add(sum, e);
    put(e, i, lanes);
  }
  if (i < n) {
    const V e = Exponential()(hn::Sub(load_rest(x + i, n - i, lowest()), by));
    sum = hn::Add(sum, e);
    put(e, i, n - i);
  }
  return hn::GetLane(hn::SumOfLanes(D(), sum));
}

void softmax(const float* x, float* y, int64_t n) {
  const auto put = [y](V e, int64_t i, int64_t count) {
    count == lanes ? hn::StoreU(e, D(), y + i) : store_rest(e, count, y + i);
  };
  const float scale = 1 / sum_exponentials(x, n, largest(x, n), put);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(D(), y + i), constant(scale)), D(), y + i);
  for (; i < n; ++i) y[i] *= scale;
}

LogSum log_sum(const float* x, int64_t n) {
  const float shift = largest(x, n);
  return {std::log(sum_exponentials(x, n, shift, [](V, int64_t, int64_t) {})), shift};
}

// Blocks are summed in float and joined in double: accurate enough at full speed.
double sum(const float* x, int64_t n) {
  constexpr int64_t block = 64 * lanes;
  double total = 0;
  int64_t i = 0;
  while (i + lanes <= n) {
    V s0 = hn::Zero(D()), s1 = s0, s2 = s0, s3 = s0;
    const int64_t end = std::min(n, i + block);
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      s0 = hn::Add(s0, hn::LoadU(D(), x + i));
      s1 = hn::Add(s1, hn::LoadU(D(), x + i + lanes));
      s2 = hn::Add(s2, hn::LoadU(D(), x + i + 2 * lanes));
      s3 = hn::Add(s3, hn::LoadU(D(), x + i + 3 * lanes));
    }
    for (; i + lanes <= end; i += lanes) s0 = hn::Add(s0, hn::LoadU(D(), x + i));
    const V all = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(D(), all)));
  }
  for (; i < n; ++i) total += static_cast<double>(x[i]);
  return total;
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::cpu {

HWY_EXPORT(softmax);
HWY_EXPORT(log_sum);
HWY_EXPORT(sum);

void softmax_row(const float* x, float* y, int64_t n) { HWY_DYNAMIC_DISPATCH(softmax)(x, y, n); }
LogSum log_sum_exp(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(log_sum)(x, n); }
double row_sum(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(sum)(x, n); }

}  // namespace stoker::cpu
#endif
