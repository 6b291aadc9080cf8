#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct PipelineArgs {
  std::vector<LayerRef> layers;
  std::string name = {};
};
// A sequence of layers as one layer, for preprocessing.
LayerRef Pipeline(const PipelineArgs& args,
                  std::source_location created = std::source_location::current());

}  // namespace stoker::layers
