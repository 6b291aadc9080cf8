#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct InputLayerArgs {
  Shape shape = {};        // without the batch
  Shape batch_shape = {};  // with the batch; only one of the two
  InputDType dtype = DType::float32;
  std::string name = {};
};
// The input of a Sequential in a list of layers; in C++ Input({…}) is shorter.
LayerRef InputLayer(const InputLayerArgs& args,
                    std::source_location created = std::source_location::current());

}  // namespace stoker::layers
