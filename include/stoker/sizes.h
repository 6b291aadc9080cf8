#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace stoker {

// A number for each of n axes. As in Keras, one number applies to all: `.strides = 2` is `.strides
// = {2, 2}`. (A std::array would interpret it as {2, 0}.)
template <size_t n>
class Sizes {
 public:
  constexpr Sizes() = default;  // not given
  template <std::integral Int>
  constexpr Sizes(Int all) : defined_(true) {  // NOLINT
    values_.fill(static_cast<int64_t>(all));
  }
  template <std::integral... Int>
  requires(n > 1 && sizeof...(Int) == n) constexpr Sizes(Int... each)  // NOLINT
      : values_{static_cast<int64_t>(each)...}, defined_(true) {}

  constexpr Sizes(const std::array<int64_t, n>& each) : values_(each), defined_(true) {}  // NOLINT

  constexpr bool defined() const { return defined_; }
  constexpr int64_t operator[](size_t axis) const { return values_[axis]; }
  constexpr int64_t& operator[](size_t axis) { return values_[axis]; }
  constexpr auto begin() const { return values_.begin(); }
  constexpr auto end() const { return values_.end(); }
  constexpr bool operator==(const Sizes&) const = default;

 private:
  std::array<int64_t, n> values_{};
  bool defined_ = false;
};

// Any number of integers, such as axes; a single one needs no braces: `.axes = 1`.
class Integers : public std::vector<int64_t> {
 public:
  Integers() = default;
  template <std::integral Int>
  Integers(Int one) : std::vector<int64_t>{static_cast<int64_t>(one)} {}        // NOLINT
  Integers(std::initializer_list<int64_t> all) : std::vector<int64_t>(all) {}   // NOLINT
  Integers(std::vector<int64_t> all) : std::vector<int64_t>(std::move(all)) {}  // NOLINT
};

}  // namespace stoker
