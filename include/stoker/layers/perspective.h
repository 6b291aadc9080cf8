#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct RandomPerspectiveArgs {
  Config factor = 1.0;  // fraction of the images
  double scale = 1.0;   // corners move by up to half of it
  std::string interpolation = "bilinear";
  double fill_value = 0;
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// In training, applies random perspective distortions.
LayerRef RandomPerspective(const RandomPerspectiveArgs& args = {},
                           std::source_location created = std::source_location::current());

}  // namespace stoker::layers
