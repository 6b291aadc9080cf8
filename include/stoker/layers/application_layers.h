#pragma once
#include "stoker/layer.h"

// Layers defined by some of keras.applications.
namespace stoker::layers {

struct LayerScaleArgs {
  double init_values = 0;
  int64_t projection_dim = 0;
  std::string name = {};
  DTypePolicy dtype = {};
};
// x * gamma, with a learned factor per channel; used by ConvNeXt.
LayerRef LayerScale(const LayerScaleArgs& args,
                    std::source_location created = std::source_location::current());

struct CustomScaleLayerArgs {
  double scale = 1;
  std::string name = {};
  DTypePolicy dtype = {};
};
// a + b * scale for two inputs; used by InceptionResNetV2.
LayerRef CustomScaleLayer(const CustomScaleLayerArgs& args,
                          std::source_location created = std::source_location::current());

}  // namespace stoker::layers
