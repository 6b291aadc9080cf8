#pragma once
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace stoker::layers {

// One axis, or a list of them.
struct Axes {
  std::vector<int64_t> values;
  bool is_list = false;
  Axes(int64_t axis) : values{axis} {}                                         // NOLINT
  Axes(std::initializer_list<int64_t> axes) : values(axes), is_list(true) {}   // NOLINT
  Axes(std::vector<int64_t> axes) : values(std::move(axes)), is_list(true) {}  // NOLINT
};

}  // namespace stoker::layers
