// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_RNN_CELLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_RNN_CELLS_INL_H_
#undef STOKER_RNN_CELLS_INL_H_
#else
#define STOKER_RNN_CELLS_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>

// The cells: one step of one unit, or of a vector of units; the same code for scalars and vectors.
// Math has a type Value with arithmetic, and sigmoid, tanh, relu, positive and constant.
HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

template <class V, int kGates>
struct UnitForward {
  V x[kGates], inner[kGates];  // from the inputs, from the recurrent product
  V h, c;                      // before the step, then after it
  V kept[4];
};
template <class V, int kGates>
struct UnitBackward {
  V kept[4];
  V h, h_before, c, c_before;
  V of_h, of_c;  // of the states after the step; afterwards of_c before it
  V of_x[kGates], of_inner[kGates];
  V direct;  // of the state before the step, not through the matrix product
};

template <class Math>
struct LstmCell {
  using V = typename Math::Value;
  static constexpr int gates = 4, kept = 4;
  static constexpr bool carry = true, own_inner = false;
  static HWY_INLINE void forward(UnitForward<V, gates>& u) {
    const V i = Math::sigmoid(u.x[0] + u.inner[0]), f = Math::sigmoid(u.x[1] + u.inner[1]);
    const V g = Math::tanh(u.x[2] + u.inner[2]), o = Math::sigmoid(u.x[3] + u.inner[3]);
    u.c = f * u.c + i * g;
    u.h = o * Math::tanh(u.c);
    u.kept[0] = i, u.kept[1] = f, u.kept[2] = g, u.kept[3] = o;
  }
  static HWY_INLINE void backward(UnitBackward<V, gates>& u) {
    const V one = Math::constant(1);
    const V i = u.kept[0], f = u.kept[1], g = u.kept[2], o = u.kept[3], t = Math::tanh(u.c);
    const V of_c = u.of_c + u.of_h * o * (one - t * t);
    u.of_x[0] = of_c * g * i * (one - i);
    u.of_x[1] = of_c * u.c_before * f * (one - f);
    u.of_x[2] = of_c * i * (one - g * g);
    u.of_x[3] = u.of_h * t * o * (one - o);
    u.of_c = of_c * f;
    u.direct = Math::constant(0);
  }
};

template <class Math>
struct GruCell {
  using V = typename Math::Value;
  static constexpr int gates = 3, kept = 4;
  static constexpr bool carry = false, own_inner = true;
  static HWY_INLINE void forward(UnitForward<V, gates>& u) {
    const V z = Math::sigmoid(u.x[0] + u.inner[0]), r = Math::sigmoid(u.x[1] + u.inner[1]);
    const V candidate = Math::tanh(u.x[2] + r * u.inner[2]);
    u.h = z * u.h + (Math::constant(1) - z) * candidate;
    u.kept[0] = z, u.kept[1] = r, u.kept[2] = candidate, u.kept[3] = u.inner[2];
  }
  static HWY_INLINE void backward(UnitBackward<V, gates>& u) {
    const V one = Math::constant(1);
    const V z = u.kept[0], r = u.kept[1], candidate = u.kept[2];
    const V of_candidate = u.of_h * (one - z) * (one - candidate * candidate);
    u.of_x[0] = u.of_inner[0] = u.of_h * (u.h_before - candidate) * z * (one - z);
    u.of_x[1] = u.of_inner[1] = of_candidate * u.kept[3] * r * (one - r);
    u.of_x[2] = of_candidate;
    u.of_inner[2] = of_candidate * r;
    u.direct = u.of_h * z;
  }
};

template <class Math, bool kRelu>
struct SimpleCell {
  using V = typename Math::Value;
  static constexpr int gates = 1, kept = 0;
  static constexpr bool carry = false, own_inner = false;
  static HWY_INLINE void forward(UnitForward<V, gates>& u) {
    const V sum = u.x[0] + u.inner[0];
    u.h = kRelu ? Math::relu(sum) : Math::tanh(sum);
  }
  static HWY_INLINE void backward(UnitBackward<V, gates>& u) {
    u.of_x[0] = kRelu ? Math::if_positive(u.h, u.of_h) : u.of_h * (Math::constant(1) - u.h * u.h);
    u.direct = Math::constant(0);
  }
};

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
