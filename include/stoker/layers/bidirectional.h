#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct BidirectionalArgs {
  LayerRef layer;                                    // a recurrent layer
  std::optional<std::string> merge_mode = "concat";  // "sum", "mul", "ave"; none: two outputs
  LayerRef backward_layer = {};                      // default: `layer` in reverse direction
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Runs a recurrent layer over a sequence in both directions; both layers are recreated from the
// configs of the given ones.
LayerRef Bidirectional(const BidirectionalArgs& args,
                       std::source_location created = std::source_location::current());

struct TimeDistributedArgs {
  LayerRef layer;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Applies a layer to every time step of (batch, time, …).
LayerRef TimeDistributed(const TimeDistributedArgs& args,
                         std::source_location created = std::source_location::current());

}  // namespace stoker::layers
