// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_ADAM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_ADAM_INL_H_
#undef STOKER_ADAM_INL_H_
#else
#define STOKER_ADAM_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/adam.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// numerator / (sqrt(v) + epsilon). On targets with 14-bit estimates, one Newton step each is
// accurate to about one ulp and avoids the latency of the divider.
template <typename Tag, typename Vec>
HWY_INLINE Vec divide_by_root(Tag d, Vec numerator, Vec v, Vec epsilon) {
  if constexpr (HWY_TARGET <= HWY_AVX3 && hn::MaxLanes(Tag()) == 16) {
    // The smallest normal number: at v = 0 the estimate stays finite, also with denormals flushed
    // to zero.
    const Vec y = hn::ApproximateReciprocalSqrt(hn::Max(v, hn::Set(d, 1.17549435e-38f)));
    const Vec s = hn::Mul(v, y);
    const Vec root = hn::MulAdd(hn::Mul(y, hn::Set(d, 0.5f)), hn::NegMulAdd(s, s, v), s);
    const Vec divisor = hn::Add(root, epsilon);
    const Vec inverse = hn::ApproximateReciprocal(divisor);
    const Vec quotient = hn::Mul(numerator, inverse);
    return hn::MulAdd(inverse, hn::NegMulAdd(quotient, divisor, numerator), quotient);
  } else {
    return hn::Div(numerator, hn::Add(hn::Sqrt(v), epsilon));
  }
}

// The step's scalars, read once and used for many vectors.
struct AdamScalars {
  explicit AdamScalars(const AdamStep& step)
      : alpha(*step.alpha),
        scale(step.grad_scale ? *step.grad_scale : 1.0f),
        keep(1.0f - (step.decay ? *step.decay : 0.0f)),
        rate_1(static_cast<float>(1.0 - step.beta_1)),
        rate_2(static_cast<float>(1.0 - step.beta_2)),
        epsilon(static_cast<float>(step.epsilon)) {}

  template <typename Tag>
  HWY_INLINE void apply(Tag d, const float* HWY_RESTRICT gradient, float* HWY_RESTRICT w,
                        float* HWY_RESTRICT m, float* HWY_RESTRICT v) const {
    const auto g = hn::Mul(hn::LoadU(d, gradient), hn::Set(d, scale));
    const auto m_old = hn::LoadU(d, m);
    const auto v_old = hn::LoadU(d, v);
    const auto m_new = hn::MulAdd(hn::Sub(g, m_old), hn::Set(d, rate_1), m_old);
    const auto v_new = hn::MulAdd(hn::Sub(hn::Mul(g, g), v_old), hn::Set(d, rate_2), v_old);
    const auto change =
        divide_by_root(d, hn::Mul(m_new, hn::Set(d, alpha)), v_new, hn::Set(d, epsilon));
    hn::StoreU(m_new, d, m);
    hn::StoreU(v_new, d, v);
    hn::StoreU(hn::MulSub(hn::LoadU(d, w), hn::Set(d, keep), change), d, w);
  }

  float alpha, scale, keep, rate_1, rate_2, epsilon;
};

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
