#pragma once
#include "stoker/layer.h"

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

struct ConcatenateArgs {
  int64_t axis = -1;
  std::string name = {};
  DTypePolicy dtype = {};
};
LayerRef Concatenate(const ConcatenateArgs& args = {},
                     std::source_location created = std::source_location::current());

}  // namespace stoker::layers
