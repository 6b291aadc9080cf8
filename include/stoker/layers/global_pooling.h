#pragma once
#include "stoker/layer.h"
#include "stoker/sizes.h"

namespace stoker::layers {

template <size_t n>
struct GlobalPoolingArgs {
  std::string data_format = "channels_last";  // or "channels_first"
  bool keepdims = false;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
using GlobalPooling1DArgs = GlobalPoolingArgs<1>;
using GlobalPooling2DArgs = GlobalPoolingArgs<2>;
using GlobalPooling3DArgs = GlobalPoolingArgs<3>;

// (batch, spatial axes …, channels) → (batch, channels)
LayerRef GlobalMaxPooling1D(const GlobalPooling1DArgs& args = {},
                            std::source_location created = std::source_location::current());
LayerRef GlobalMaxPooling2D(const GlobalPooling2DArgs& args = {},
                            std::source_location created = std::source_location::current());
LayerRef GlobalMaxPooling3D(const GlobalPooling3DArgs& args = {},
                            std::source_location created = std::source_location::current());
LayerRef GlobalAveragePooling1D(const GlobalPooling1DArgs& args = {},
                                std::source_location created = std::source_location::current());
LayerRef GlobalAveragePooling2D(const GlobalPooling2DArgs& args = {},
                                std::source_location created = std::source_location::current());
LayerRef GlobalAveragePooling3D(const GlobalPooling3DArgs& args = {},
                                std::source_location created = std::source_location::current());

template <size_t n>
struct AdaptivePoolingArgs {
  Sizes<n> output_size = 0;
  std::string data_format = "channels_last";  // or "channels_first"
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
using AdaptivePooling1DArgs = AdaptivePoolingArgs<1>;
using AdaptivePooling2DArgs = AdaptivePoolingArgs<2>;
using AdaptivePooling3DArgs = AdaptivePoolingArgs<3>;

// Chooses windows so that the output has size output_size.
LayerRef AdaptiveMaxPooling1D(const AdaptivePooling1DArgs& args,
                              std::source_location created = std::source_location::current());
LayerRef AdaptiveMaxPooling2D(const AdaptivePooling2DArgs& args,
                              std::source_location created = std::source_location::current());
LayerRef AdaptiveMaxPooling3D(const AdaptivePooling3DArgs& args,
                              std::source_location created = std::source_location::current());
LayerRef AdaptiveAveragePooling1D(const AdaptivePooling1DArgs& args,
                                  std::source_location created = std::source_location::current());
LayerRef AdaptiveAveragePooling2D(const AdaptivePooling2DArgs& args,
                                  std::source_location created = std::source_location::current());
LayerRef AdaptiveAveragePooling3D(const AdaptivePooling3DArgs& args,
                                  std::source_location created = std::source_location::current());

}  // namespace stoker::layers
