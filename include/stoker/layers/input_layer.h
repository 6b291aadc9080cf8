#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct InputLayerArgs {
  Shape shape = {};        // without the batch
  Shape batch_shape = {};  // with it; one of the two
  InputDType dtype = DType::float32;
  std::string name = {};
};
// Says what a Sequential takes where layers are listed by name; in C++ Input({…}) is shorter.
LayerRef InputLayer(const InputLayerArgs& args,
                    std::source_location created = std::source_location::current());

}  // namespace stoker::layers
