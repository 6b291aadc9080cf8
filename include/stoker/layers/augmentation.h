#pragma once
#include <optional>
#include <string>

#include "stoker/layer.h"

// Random combinations of image layers, applied in training; all images of a batch get the same
// ones.
namespace stoker::layers {

struct RandAugmentArgs {
  Config value_range = Config::List{0, 255};
  int64_t num_ops = 2;                     // applied one after the other
  Config factor = 0.5;                     // strength, from 0 to 1
  std::string interpolation = "bilinear";  // or nearest
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef RandAugment(const RandAugmentArgs& args = {},
                     std::source_location created = std::source_location::current());

struct AugMixArgs {
  Config value_range = Config::List{0, 255};
  int64_t num_chains = 3, chain_depth = 3;
  Config factor = 0.3;
  double alpha = 1;     // parameter of the beta and Dirichlet distributions
  bool all_ops = true;  // include those that change brightness, colour, contrast and sharpness
  std::string interpolation = "bilinear";
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Mixes images with the results of chains of other layers.
LayerRef AugMix(const AugMixArgs& args = {},
                std::source_location created = std::source_location::current());

}  // namespace stoker::layers
