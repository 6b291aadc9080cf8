#pragma once
#include <optional>
#include <string>
#include <vector>

#include "nn/layers/image/random_image_layer.h"

namespace stoker::nn {

// What the layers that are drawn from have in common. They take channels last.
struct AugmentationArgs {
  Range factor;
  Config value_range;
  std::string interpolation;
  std::optional<int64_t> seed;
  DTypePolicy dtype;
  std::source_location created;
};

// How often a layer is drawn: every time all of them are part of the step.
void expect_turns(const char* argument, int64_t turns);

// Layers of which one is drawn and applied.
class Augmentations {
 public:
  // Without `all`, none that changes brightness, colour, contrast or sharpness.
  Augmentations(const AugmentationArgs& args, bool all);
  // Each is as likely as any other; `or_none`: and so is doing nothing.
  Tensor apply_one(const Tensor& images, Draws& random, bool or_none) const;
  const std::vector<Layer::Sublayer>& layers() const { return layers_; }

 private:
  std::vector<Layer::Sublayer> layers_;
};

}  // namespace stoker::nn
