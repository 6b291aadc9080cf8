#pragma once
#include <math.h>  // functions of float and double without std::

#include <cstdint>
#include <type_traits>

// What each elementwise op does to one element, from core/elementwise/elementwise_ops.def: a struct
// for each op
// (`exp_op`) with a function for each kind of dtype.
namespace stoker::cpu::scalar {

// Integer division by zero gives zero, as a step cannot fail in the middle.
template <class T>
T divide_integers(T a, T b) {
  if (b == 0) return 0;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return T(0 - uint64_t(a));
  return static_cast<T>(a / b);
}

template <class T>
T integer_power(T base, T exponent) {
  if (exponent < T{0}) {  // 1 / base^n is an integer only for 1 and -1
    const bool minus_one = std::is_signed_v<T> && base == static_cast<T>(-1);
    if (minus_one) return static_cast<T>(static_cast<int64_t>(exponent) % 2 ? -1 : 1);
    return static_cast<T>(base == T{1});
  }
  T result = 1;
  for (auto left = static_cast<uint64_t>(exponent); left > 0; left /= 2) {
    if (left % 2) result = T(uint64_t(result) * uint64_t(base));
    base = T(uint64_t(base) * uint64_t(base));
  }
  return result;
}

// The result for a kind of dtype for which an op has no expression.
struct Nothing {};
struct NoExpressions {
  template <class T>
  static Nothing floats(T, T) {
    return {};
  }
  template <class T>
  static Nothing integers(T, T) {
    return {};
  }
  template <class T>
  static Nothing bools(T, T) {
    return {};
  }
};

// clang-format off
#define STOKER_SCALAR(kind, expression)                                  \
  template <class T>                                                     \
  static auto kind([[maybe_unused]] T a, [[maybe_unused]] T b) {         \
    return expression;                                                   \
  }
#define ELEMENTWISE_OP(name, ...) struct name##_op : NoExpressions {
#define OF_FLOATS(expression) STOKER_SCALAR(floats, expression)
#define OF_INTEGERS(expression) STOKER_SCALAR(integers, expression)
#define OF_BOOLS(expression) STOKER_SCALAR(bools, expression)
#define END_OP };
#include "core/elementwise/elementwise_ops.def"
#undef STOKER_SCALAR
// clang-format on

}  // namespace stoker::cpu::scalar
