#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct BidirectionalArgs {
  LayerRef layer;                                    // a recurrent one
  std::optional<std::string> merge_mode = "concat";  // "sum", "mul", "ave"; none: two outputs
  LayerRef backward_layer = {};                      // `layer` the other way round if not given
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// A recurrent layer over a sequence and another over it from its end; both are made anew from the
// configs of those given.
LayerRef Bidirectional(const BidirectionalArgs& args,
                       std::source_location created = std::source_location::current());

struct TimeDistributedArgs {
  LayerRef layer;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// A layer on every step of (batch, time, …).
LayerRef TimeDistributed(const TimeDistributedArgs& args,
                         std::source_location created = std::source_location::current());

}  // namespace stoker::layers
