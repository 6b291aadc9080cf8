#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace stoker::layers {

// One number for each of n spatial axes.
template <size_t n>
using Sizes = std::array<int64_t, n>;

template <size_t n>
constexpr Sizes<n> all(int64_t value) {
  Sizes<n> sizes{};
  sizes.fill(value);
  return sizes;
}

}  // namespace stoker::layers
