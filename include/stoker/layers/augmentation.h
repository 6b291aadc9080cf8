#pragma once
#include <optional>
#include <string>

#include "stoker/layer.h"

// Other layers on images, drawn in training; all images of a batch have the same ones.
namespace stoker::layers {

struct RandAugmentArgs {
  Config value_range = Config::List{0, 255};
  int64_t num_ops = 2;                     // one after the other
  Config factor = 0.5;                     // how strong they are, from 0 to 1
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
  double alpha = 1;     // of the distributions that the mixture is drawn from
  bool all_ops = true;  // those that change brightness, colour, contrast and sharpness, too
  std::string interpolation = "bilinear";
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Images mixed with what chains of other layers make of them.
LayerRef AugMix(const AugMixArgs& args = {},
                std::source_location created = std::source_location::current());

}  // namespace stoker::layers
