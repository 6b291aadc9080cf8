#include "nn/layers/image/augmentations.h"

#include "stoker/layers/equalization.h"
#include "stoker/layers/image.h"

namespace stoker::nn {

void expect_turns(const char* argument, int64_t turns) {
  constexpr int64_t most = 100;
  if (turns < 0 || turns > most)
    throw InvalidArgument(
        fmt::format("{} must be between 0 and {}, got {}.", argument, most, turns));
}

Augmentations::Augmentations(const AugmentationArgs& args, bool all) {
  const Config factor = Config::List{args.factor.low, args.factor.high}, range = args.value_range;
  // Layers must not draw the same random numbers for one seed.
  const auto seed = [&]() -> std::optional<int64_t> {
    if (!args.seed) return {};
    return static_cast<int64_t>(static_cast<uint64_t>(*args.seed) + 1 + layers_.size());
  };
  const auto add = [&](const char* attribute, auto make, auto layer_args) {
    layer_args.dtype = args.dtype;
    if constexpr (requires { layer_args.seed; }) layer_args.seed = seed();
    if constexpr (requires { layer_args.interpolation; })
      layer_args.interpolation = args.interpolation;
    layers_.push_back({attribute, make(layer_args, args.created)});
  };
  const auto color = [&](const Config& strength) {
    return layers::RandomColorArgs{.factor = strength, .value_range = range};
  };
  using namespace layers;
  add("random_shear", RandomShear, RandomShearArgs{.x_factor = factor, .y_factor = factor});
  add("random_translation", RandomTranslation,
      RandomTranslationArgs{.height_factor = factor, .width_factor = factor});
  add("random_rotation", RandomRotation, RandomRotationArgs{.factor = factor});
  add("random_posterization", RandomPosterization,
      color(std::max<int64_t>(1, static_cast<int64_t>(8 * args.factor.high))));
  add("solarization", Solarization,
      SolarizationArgs{
          .addition_factor = factor, .threshold_factor = factor, .value_range = range});
  add("auto_contrast", AutoContrast, AutoContrastArgs{.value_range = range});
  add("equalization", Equalization, EqualizationArgs{.value_range = range});
  if (!all) return;
  add("random_brightness", RandomBrightness, color(factor));
  add("random_color_degeneration", RandomColorDegeneration, color(factor));
  add("random_contrast", RandomContrast, color(factor));
  add("random_sharpness", RandomSharpness, color(factor));
}

// A step has no branches: all are computed, and one result is selected.
Tensor Augmentations::apply_one(const Tensor& images, Draws& random, bool or_none) const {
  const auto choices = static_cast<double>(layers_.size() + (or_none ? 1 : 0));
  const Tensor chosen = ops::floor(random.uniform(Shape{}) * choices);
  Tensor result = images;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Tensor changed = layers_[i].layer->apply({images}, {.training = true})[0];
    result = ops::where(ops::equal(chosen, static_cast<double>(i)), changed, result);
  }
  return result;
}

}  // namespace stoker::nn
