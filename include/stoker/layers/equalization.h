#pragma once
#include "stoker/layer.h"

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

}  // namespace stoker::layers
