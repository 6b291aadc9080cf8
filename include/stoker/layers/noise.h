#pragma once
#include <optional>

#include "stoker/layer.h"

// Layers that add noise in training and are the identity otherwise, depending only on the seed and
// the number of calls so far.
namespace stoker::layers {

struct GaussianNoiseArgs {
  double stddev = 0;
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
LayerRef GaussianNoise(const GaussianNoiseArgs& args,
                       std::source_location created = std::source_location::current());

struct GaussianDropoutArgs {
  // multiplies by Gaussian noise with mean 1 and standard deviation sqrt(rate / (1 - rate))
  double rate = 0;
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
LayerRef GaussianDropout(const GaussianDropoutArgs& args,
                         std::source_location created = std::source_location::current());

struct AlphaDropoutArgs {
  double rate = 0;
  std::optional<Shape> noise_shape = {};
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
// Dropout that keeps mean and variance of SELU outputs.
LayerRef AlphaDropout(const AlphaDropoutArgs& args,
                      std::source_location created = std::source_location::current());

struct SpatialDropout1DArgs {
  double rate = 0;
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
// Drops whole channels.
LayerRef SpatialDropout1D(const SpatialDropout1DArgs& args,
                          std::source_location created = std::source_location::current());

struct SpatialDropoutArgs {
  double rate = 0;
  std::optional<std::string> data_format = {};
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
LayerRef SpatialDropout2D(const SpatialDropoutArgs& args,
                          std::source_location created = std::source_location::current());
LayerRef SpatialDropout3D(const SpatialDropoutArgs& args,
                          std::source_location created = std::source_location::current());

}  // namespace stoker::layers
