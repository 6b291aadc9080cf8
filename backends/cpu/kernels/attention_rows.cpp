#include "kernels/attention_rows.h"

// foreach_target.h compiles this file again for each target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention_rows.cpp"
#include "core/simd_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <cmath>

#include "ops/elementwise/elementwise_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

constexpr int64_t kStep = static_cast<int64_t>(hn::MaxLanes(D()));

// Applies op(vector) to a row; the remainder uses a padded vector.
template <class Op>
HWY_INLINE void for_row(float* row, int64_t n, const Op& op) {
  const D d;
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) hn::StoreU(op(hn::LoadU(d, row + i), i), d, row + i);
  if (i == n) return;
  HWY_ALIGN float rest[kStep] = {};
  std::copy(row + i, row + n, rest);
  hn::Store(op(hn::Load(d, rest), i), d, rest);
  std::copy(rest, rest + (n - i), row + i);
}

void scale_row(float* row, int64_t n, float scale) {
  for_row(row, n, [&](V x, int64_t) { return hn::Mul(x, constant(scale)); });
}

float largest_of(const float* row, int64_t n) {
  const D d;
  V most = constant(row[0]);
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) most = hn::Max(most, hn::LoadU(d, row + i));
  float largest = hn::GetLane(hn::MaxOfLanes(d, most));
  for (; i < n; ++i) largest = std::max(largest, row[i]);
  return largest;
}

float sum_of_row(const float* row, int64_t n) {
  const D d;
  V sums = hn::Zero(d);
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) sums = hn::Add(sums, hn::LoadU(d, row + i));
  float sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; i < n; ++i) sum += row[i];
  return sum;
}

void exponentials(float* row, int64_t n, float less) {
  for_row(row, n, [&](V x, int64_t) { return Exponential()(hn::Sub(x, constant(less))); });
}

float normalize_row(float* row, int64_t n) {
  const float most = largest_of(row, n);
  exponentials(row, n, most);
  const float sum = sum_of_row(row, n);
  scale_row(row, n, 1 / sum);
  return most + std::log(sum);
}

void score_gradients_row(float* row, const float* weights, int64_t n, float scale, float mean) {
  const D d;
  for_row(row, n, [&](V x, int64_t i) {
    HWY_ALIGN float rest[kStep] = {};
    const bool whole = i + kStep <= n;
    if (!whole) std::copy(weights + i, weights + n, rest);
    const V w = whole ? hn::LoadU(d, weights + i) : hn::Load(d, rest);
    return hn::Mul(hn::Mul(w, constant(scale)), hn::Sub(x, constant(mean)));
  });
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::cpu {

HWY_EXPORT(scale_row);
HWY_EXPORT(normalize_row);
HWY_EXPORT(exponentials);
HWY_EXPORT(score_gradients_row);

void scale_scores(float* row, int64_t n, float scale) {
  HWY_DYNAMIC_DISPATCH(scale_row)(row, n, scale);
}
float scores_to_weights(float* row, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(normalize_row)(row, n);
}
void scores_to_weights(float* row, int64_t n, float logarithm) {
  HWY_DYNAMIC_DISPATCH(exponentials)(row, n, logarithm);
}
void weight_to_score_gradients(float* row, const float* weights, int64_t n, float scale,
                               float mean) {
  HWY_DYNAMIC_DISPATCH(score_gradients_row)(row, weights, n, scale, mean);
}

}  // namespace stoker::cpu
#endif
