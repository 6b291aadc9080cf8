#pragma once
#include "stoker/layer.h"
#include "stoker/layers/margins.h"

namespace stoker::layers {

template <size_t n>
struct ZeroPaddingArgs {
  Margins<n> padding = 1;
  std::string data_format = "channels_last";  // or "channels_first"
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
using ZeroPadding1DArgs = ZeroPaddingArgs<1>;
using ZeroPadding2DArgs = ZeroPaddingArgs<2>;
using ZeroPadding3DArgs = ZeroPaddingArgs<3>;

LayerRef ZeroPadding1D(const ZeroPadding1DArgs& args = {},
                       std::source_location created = std::source_location::current());
LayerRef ZeroPadding2D(const ZeroPadding2DArgs& args = {},
                       std::source_location created = std::source_location::current());
LayerRef ZeroPadding3D(const ZeroPadding3DArgs& args = {},
                       std::source_location created = std::source_location::current());

template <size_t n>
struct CroppingArgs {
  Margins<n> cropping = n == 2 ? 0 : 1;       // Keras's defaults
  std::string data_format = "channels_last";  // or "channels_first"; not in Keras's Cropping1D
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
using Cropping1DArgs = CroppingArgs<1>;
using Cropping2DArgs = CroppingArgs<2>;
using Cropping3DArgs = CroppingArgs<3>;

LayerRef Cropping1D(const Cropping1DArgs& args = {},
                    std::source_location created = std::source_location::current());
LayerRef Cropping2D(const Cropping2DArgs& args = {},
                    std::source_location created = std::source_location::current());
LayerRef Cropping3D(const Cropping3DArgs& args = {},
                    std::source_location created = std::source_location::current());

}  // namespace stoker::layers
