#pragma once

namespace stoker {

// The smallest multiple of `unit` that is not below a count of something.
template <class T>
constexpr T round_up(T count, T unit) {
  return (count + unit - 1) / unit * unit;
}

}  // namespace stoker
