#pragma once
#include "stoker/layer.h"
#include "stoker/sizes.h"

// Layers with several inputs: `Add()({a, b})`.
namespace stoker::layers {

struct MergeArgs {
  std::string name = {};
  DTypePolicy dtype = {};
};
// The inputs are broadcast; lower ranks are extended after the batch axis.
LayerRef Add(const MergeArgs& args = {},
             std::source_location created = std::source_location::current());
LayerRef Multiply(const MergeArgs& args = {},
                  std::source_location created = std::source_location::current());

LayerRef Subtract(const MergeArgs& args = {},
                  std::source_location created = std::source_location::current());  // of two inputs
LayerRef Average(const MergeArgs& args = {},
                 std::source_location created = std::source_location::current());
LayerRef Maximum(const MergeArgs& args = {},
                 std::source_location created = std::source_location::current());
LayerRef Minimum(const MergeArgs& args = {},
                 std::source_location created = std::source_location::current());

struct ConcatenateArgs {
  int64_t axis = -1;
  std::string name = {};
  DTypePolicy dtype = {};
};
LayerRef Concatenate(const ConcatenateArgs& args = {},
                     std::source_location created = std::source_location::current());

struct DotArgs {
  Integers axes;           // one for both inputs, or one each
  bool normalize = false;  // to unit length first: cosine similarity
  std::string name = {};
  DTypePolicy dtype = {};
};
// Batched dot products of two inputs along one axis of each.
LayerRef Dot(const DotArgs& args, std::source_location created = std::source_location::current());

}  // namespace stoker::layers
