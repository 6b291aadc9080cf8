#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace stoker::layers {

// Padding or cropping at both ends of n spatial axes, in all of Keras's forms: 1; for more than one
// axis {height, width} and {{top, bottom}, {left, right}}; for one axis {left, right}.
template <size_t n>
struct Margins {
  using Pair = std::array<int64_t, 2>;
  std::array<Pair, n> axes;

  Margins(int64_t all) { axes.fill({all, all}); }  // NOLINT
  Margins(int64_t left, int64_t right) requires(n == 1) : axes{Pair{left, right}} {}
  Margins(int64_t height, int64_t width) requires(n == 2)
      : axes{Pair{height, height}, Pair{width, width}} {}
  Margins(int64_t depth, int64_t height, int64_t width) requires(n == 3)
      : axes{Pair{depth, depth}, Pair{height, height}, Pair{width, width}} {}
  Margins(Pair height, Pair width) requires(n == 2) : axes{height, width} {}
  Margins(Pair depth, Pair height, Pair width) requires(n == 3) : axes{depth, height, width} {}
};

}  // namespace stoker::layers
