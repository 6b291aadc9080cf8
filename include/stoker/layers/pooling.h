#pragma once
#include "stoker/layer.h"
#include "stoker/sizes.h"

namespace stoker::layers {

// Arguments of a pooling over n spatial axes.
template <size_t n>
struct PoolingArgs {
  Sizes<n> pool_size = 2, strides = {};       // default strides: pool_size
  std::string padding = "valid";              // or "same"
  std::string data_format = "channels_last";  // or "channels_first"
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
using Pooling1DArgs = PoolingArgs<1>;
using Pooling2DArgs = PoolingArgs<2>;
using Pooling3DArgs = PoolingArgs<3>;

LayerRef MaxPooling1D(const Pooling1DArgs& args = {},
                      std::source_location created = std::source_location::current());
LayerRef MaxPooling2D(const Pooling2DArgs& args = {},
                      std::source_location created = std::source_location::current());
LayerRef MaxPooling3D(const Pooling3DArgs& args = {},
                      std::source_location created = std::source_location::current());
LayerRef AveragePooling1D(const Pooling1DArgs& args = {},
                          std::source_location created = std::source_location::current());
LayerRef AveragePooling2D(const Pooling2DArgs& args = {},
                          std::source_location created = std::source_location::current());
LayerRef AveragePooling3D(const Pooling3DArgs& args = {},
                          std::source_location created = std::source_location::current());

}  // namespace stoker::layers
