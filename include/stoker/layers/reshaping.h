#pragma once
#include <array>
#include <vector>

#include "stoker/layer.h"

namespace stoker::layers {

struct FlattenArgs {
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// (batch, a, b …) → (batch, a * b …)
LayerRef Flatten(const FlattenArgs& args = {},
                 std::source_location created = std::source_location::current());

struct ReshapeArgs {
  Shape target_shape;  // without the batch; one -1 allowed
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef Reshape(const ReshapeArgs& args,
                 std::source_location created = std::source_location::current());

struct PermuteArgs {
  std::vector<int64_t> dims;  // each axis but the batch's once, counted from 1
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef Permute(const PermuteArgs& args,
                 std::source_location created = std::source_location::current());

// Keras's three ways to say it: 1, {height, width}, {{top, bottom}, {left, right}}.
struct Padding2D {
  using Pair = std::array<int64_t, 2>;
  Pair height{1, 1}, width{1, 1};
  Padding2D() = default;
  Padding2D(int64_t all) : Padding2D(all, all) {}  // NOLINT
  Padding2D(int64_t h, int64_t w) : height{h, h}, width{w, w} {}
  Padding2D(Pair h, Pair w) : height(h), width(w) {}
};

struct ZeroPadding2DArgs {
  Padding2D padding = {};
  std::string data_format = "channels_last";
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef ZeroPadding2D(const ZeroPadding2DArgs& args = {},
                       std::source_location created = std::source_location::current());

}  // namespace stoker::layers
