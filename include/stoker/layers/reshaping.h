#pragma once
#include <vector>

#include "stoker/layer.h"

namespace stoker::layers {

struct FlattenArgs {
  std::string data_format = "channels_last";  // "channels_first": the channels go last before
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
  std::vector<int64_t> dims;  // a permutation of the axes without the batch, counted from 1
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef Permute(const PermuteArgs& args,
                 std::source_location created = std::source_location::current());

struct RepeatVectorArgs {
  int64_t n = 0;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// (batch, features) → (batch, n, features)
LayerRef RepeatVector(const RepeatVectorArgs& args,
                      std::source_location created = std::source_location::current());

}  // namespace stoker::layers
