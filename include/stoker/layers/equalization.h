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
// In training, values such that each of them is as frequent as any other, channel by channel; the
// images of a batch share a histogram, as in Keras.
LayerRef Equalization(const EqualizationArgs& args = {},
                      std::source_location created = std::source_location::current());

struct ContrastLimitedAdaptiveHistogramEqualizationArgs {
  Config value_range = Config::List{0, 255};
  double clip_limit = 4;  // of a level's share if all were equal; 0: no limit
  Sizes<2> tile_grid_size = 8;
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Every part of an image by its own histogram, blended into the next; in training and outside.
LayerRef ContrastLimitedAdaptiveHistogramEqualization(
    const ContrastLimitedAdaptiveHistogramEqualizationArgs& args = {},
    std::source_location created = std::source_location::current());

}  // namespace stoker::layers
