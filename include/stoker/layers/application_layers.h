#pragma once
#include "stoker/layer.h"

// Layers that some of keras.applications bring with them.
namespace stoker::layers {

struct LayerScaleArgs {
  double init_values = 0;
  int64_t projection_dim = 0;
  std::string name = {};
  DTypePolicy dtype = {};
};
// x * gamma, a learned factor for each channel: ConvNeXt's.
LayerRef LayerScale(const LayerScaleArgs& args,
                    std::source_location created = std::source_location::current());

struct CustomScaleLayerArgs {
  double scale = 1;
  std::string name = {};
  DTypePolicy dtype = {};
};
// a + b * scale of two inputs: InceptionResNetV2's.
LayerRef CustomScaleLayer(const CustomScaleLayerArgs& args,
                          std::source_location created = std::source_location::current());

}  // namespace stoker::layers
