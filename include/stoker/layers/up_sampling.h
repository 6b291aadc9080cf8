#pragma once
#include "stoker/layer.h"
#include "stoker/sizes.h"

namespace stoker::layers {

template <size_t n>
struct UpSamplingArgs {
  Sizes<n> size = 2;
  std::string data_format = "channels_last";  // or "channels_first"; not in Keras's UpSampling1D
  // UpSampling2D: also "bilinear", "bicubic", "lanczos3", "lanczos5"
  std::string interpolation = "nearest";
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
using UpSampling1DArgs = UpSamplingArgs<1>;
using UpSampling2DArgs = UpSamplingArgs<2>;
using UpSampling3DArgs = UpSamplingArgs<3>;

LayerRef UpSampling1D(const UpSampling1DArgs& args = {},
                      std::source_location created = std::source_location::current());
LayerRef UpSampling2D(const UpSampling2DArgs& args = {},
                      std::source_location created = std::source_location::current());
LayerRef UpSampling3D(const UpSampling3DArgs& args = {},
                      std::source_location created = std::source_location::current());

}  // namespace stoker::layers
