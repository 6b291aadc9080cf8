#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct RandomElasticTransformArgs {
  Config factor = 1.0;  // fraction of the images
  Config scale = 1.0;   // displacement of the pixels
  std::string interpolation = "bilinear", fill_mode = "reflect";
  double fill_value = 0;
  Config value_range = Config::List{0, 255};
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// In training, distorts images by a smooth random displacement field.
LayerRef RandomElasticTransform(const RandomElasticTransformArgs& args = {},
                                std::source_location created = std::source_location::current());

}  // namespace stoker::layers
