#pragma once
#include <array>

#include "stoker/layer.h"

namespace stoker::layers {

struct Pooling2DArgs {
  std::array<int64_t, 2> pool_size{2, 2}, strides{0, 0};  // strides 0: as pool_size
  std::string padding = "valid";                          // or "same"
  std::string data_format = "channels_last";
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef MaxPooling2D(const Pooling2DArgs& args = {},
                      std::source_location created = std::source_location::current());
LayerRef AveragePooling2D(const Pooling2DArgs& args = {},
                          std::source_location created = std::source_location::current());

struct GlobalPooling2DArgs {
  bool keepdims = false;
  std::string data_format = "channels_last";
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// (batch, height, width, channels) → (batch, channels)
LayerRef GlobalMaxPooling2D(const GlobalPooling2DArgs& args = {},
                            std::source_location created = std::source_location::current());
LayerRef GlobalAveragePooling2D(const GlobalPooling2DArgs& args = {},
                                std::source_location created = std::source_location::current());

}  // namespace stoker::layers
