// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_VECTOR_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_VECTOR_LOOP_INL_H_
#undef STOKER_VECTOR_LOOP_INL_H_
#else
#define STOKER_VECTOR_LOOP_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// op(tag, i) over [0, n) in whole vectors, then quads, then single floats: nothing is read or
// written past the end, which masked stores do not guarantee on every target.
template <typename Op>
HWY_INLINE void for_each_vector(int64_t n, const Op& op) {
  const hn::ScalableTag<float> whole;
  const hn::CappedTag<float, 4> quad;
  const hn::CappedTag<float, 1> single;
  constexpr int64_t lanes = hn::MaxLanes(whole), quad_lanes = hn::MaxLanes(quad);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) op(whole, i);
  for (; i + quad_lanes <= n; i += quad_lanes) op(quad, i);
  for (; i < n; ++i) op(single, i);
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
