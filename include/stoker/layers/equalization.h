#pragma once
#include "stoker/layer.h"
#include "stoker/sizes.h"

namespace stoker::layers {

struct EqualizationArgs {
  Config value_range = Config::List{0, 255};
  int64_t bins = 256;
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// In training, histogram equalisation per channel; the images of a batch share a histogram, as in
// Keras.
LayerRef Equalization(const EqualizationArgs& args = {},
                      std::source_location created = std::source_location::current());

struct ContrastLimitedAdaptiveHistogramEqualizationArgs {
  Config value_range = Config::List{0, 255};
  double clip_limit = 4;  // relative to a uniform histogram; 0: no limit
  Sizes<2> tile_grid_size = 8;
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// CLAHE: equalises each tile of an image by its own histogram and interpolates between tiles; also
// in inference.
LayerRef ContrastLimitedAdaptiveHistogramEqualization(
    const ContrastLimitedAdaptiveHistogramEqualizationArgs& args = {},
    std::source_location created = std::source_location::current());

}  // namespace stoker::layers
