#pragma once
#include <optional>
#include <string>
#include <vector>

#include "nn/layers/image/random_image_layer.h"

namespace stoker::nn {

// Common arguments of the layers to choose from, which take channels_last.
struct AugmentationArgs {
  Range factor;
  Config value_range;
  std::string interpolation;
  std::optional<int64_t> seed;
  DTypePolicy dtype;
  std::source_location created;
};

// How often a layer is drawn. Each draw adds all layers to the step.
void expect_turns(const char* argument, int64_t turns);

// A set of layers of which one is chosen at random and applied.
class Augmentations {
 public:
  // Without `all`, none that changes brightness, colour, contrast or sharpness.
  Augmentations(const AugmentationArgs& args, bool all);
  // With equal probabilities; `or_none`: doing nothing is one more choice.
  Tensor apply_one(const Tensor& images, Draws& random, bool or_none) const;
  const std::vector<Layer::Sublayer>& layers() const { return layers_; }

 private:
  std::vector<Layer::Sublayer> layers_;
};

}  // namespace stoker::nn
