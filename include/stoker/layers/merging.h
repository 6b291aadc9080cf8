#pragma once
#include "stoker/layer.h"
#include "stoker/sizes.h"

// Layers of several inputs: `Add()({a, b})`.
namespace stoker::layers {

struct MergeArgs {
  std::string name = {};
  DTypePolicy dtype = {};
};
// The inputs are broadcast; one of lower rank gets dimensions after the batch.
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
  Integers axes;           // one for both inputs, or one for each
  bool normalize = false;  // to unit length along the axes first: cosine proximity
  std::string name = {};
  DTypePolicy dtype = {};
};
// The products of two inputs, summed along one axis of each, sample by sample.
LayerRef Dot(const DotArgs& args, std::source_location created = std::source_location::current());

}  // namespace stoker::layers
