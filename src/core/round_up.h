#pragma once
#include <type_traits>

namespace stoker {

template <class T>
constexpr T ceil_div(T a, std::type_identity_t<T> b) {
  return (a + b - 1) / b;
}

// The smallest multiple of `unit` that is not below a count of something.
template <class T>
constexpr T round_up(T count, std::type_identity_t<T> unit) {
  return ceil_div(count, unit) * unit;
}

}  // namespace stoker
