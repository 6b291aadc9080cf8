#pragma once
#include <optional>
#include <string>

#include "stoker/layer.h"
#include "stoker/sizes.h"

// Layers on images, (batch, height, width, channels) or one image without the batch. Random ones
// act in training only; what they do depends on the seed and the number of calls so far alone.
namespace stoker::layers {

struct ResizingArgs {
  int64_t height = 0, width = 0;
  std::string interpolation = "bilinear";  // or nearest, bicubic, lanczos3, lanczos5
  bool crop_to_aspect_ratio = false, pad_to_aspect_ratio = false;
  std::string fill_mode = "constant";
  double fill_value = 0;
  bool antialias = false;
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef Resizing(const ResizingArgs& args,
                  std::source_location created = std::source_location::current());

struct CropArgs {
  int64_t height = 0, width = 0;
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// The middle; an image that is too small is resized first.
LayerRef CenterCrop(const CropArgs& args,
                    std::source_location created = std::source_location::current());

struct RandomCropArgs {
  int64_t height = 0, width = 0;
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef RandomCrop(const RandomCropArgs& args,
                    std::source_location created = std::source_location::current());

struct RandomFlipArgs {
  std::string mode = "horizontal_and_vertical";  // or horizontal, vertical
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef RandomFlip(const RandomFlipArgs& args = {},
                    std::source_location created = std::source_location::current());

// A factor is a number f, for [-f, f], or a list of two.

struct RandomRotationArgs {
  Config factor = 0.0;                // of a full turn
  std::string fill_mode = "reflect";  // or constant, wrap, nearest
  std::string interpolation = "bilinear";
  std::optional<int64_t> seed = {};
  double fill_value = 0;
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef RandomRotation(const RandomRotationArgs& args,
                        std::source_location created = std::source_location::current());

struct RandomTranslationArgs {
  Config height_factor = 0.0, width_factor = 0.0;
  std::string fill_mode = "reflect", interpolation = "bilinear";
  std::optional<int64_t> seed = {};
  double fill_value = 0;
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef RandomTranslation(const RandomTranslationArgs& args,
                           std::source_location created = std::source_location::current());

struct RandomZoomArgs {
  Config height_factor = 0.0, width_factor = {};  // no width factor: that of the height
  std::string fill_mode = "reflect", interpolation = "bilinear";
  std::optional<int64_t> seed = {};
  double fill_value = 0;
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef RandomZoom(const RandomZoomArgs& args,
                    std::source_location created = std::source_location::current());

struct RandomShearArgs {
  Config x_factor = 0.0, y_factor = 0.0;
  std::string interpolation = "bilinear", fill_mode = "reflect";
  double fill_value = 0;
  std::optional<std::string> data_format = {};
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef RandomShear(const RandomShearArgs& args,
                     std::source_location created = std::source_location::current());

// The factor says how much: of the contrast, of the range of values, of a turn of the hue, how many
// bits stay, how many images are inverted.
struct RandomColorArgs {
  Config factor = {};
  Config value_range = Config::List{0, 255};
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef RandomContrast(const RandomColorArgs& args,
                        std::source_location created = std::source_location::current());
LayerRef RandomBrightness(const RandomColorArgs& args,
                          std::source_location created = std::source_location::current());
LayerRef RandomSaturation(const RandomColorArgs& args,
                          std::source_location created = std::source_location::current());
LayerRef RandomHue(const RandomColorArgs& args,
                   std::source_location created = std::source_location::current());
LayerRef RandomPosterization(const RandomColorArgs& args,
                             std::source_location created = std::source_location::current());
LayerRef RandomInvert(const RandomColorArgs& args = {},
                      std::source_location created = std::source_location::current());
LayerRef RandomSharpness(const RandomColorArgs& args,
                         std::source_location created = std::source_location::current());
LayerRef RandomColorDegeneration(const RandomColorArgs& args,
                                 std::source_location created = std::source_location::current());

struct RandomGrayscaleArgs {
  double factor = 0.5;  // the share of images
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef RandomGrayscale(const RandomGrayscaleArgs& args = {},
                         std::source_location created = std::source_location::current());

struct SolarizationArgs {
  Config addition_factor = 0.0, threshold_factor = 0.0;
  Config value_range = Config::List{0, 255};
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef Solarization(const SolarizationArgs& args = {},
                      std::source_location created = std::source_location::current());

struct AutoContrastArgs {
  Config value_range = Config::List{0, 255};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Spreads every channel of an image over the whole range.
LayerRef AutoContrast(const AutoContrastArgs& args = {},
                      std::source_location created = std::source_location::current());

struct RandomErasingArgs {
  Config factor = 1.0;                      // the share of images
  Config scale = Config::List{0.02, 0.33};  // of an image's area
  Config fill_value = {};                   // a number or three; none: noise
  Config value_range = Config::List{0, 255};
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef RandomErasing(const RandomErasingArgs& args = {},
                       std::source_location created = std::source_location::current());

struct RandomGaussianBlurArgs {
  Config factor = 1.0;  // the share of images
  Sizes<2> kernel_size = 3;
  Config sigma = 1.0;
  Config value_range = Config::List{0, 255};
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef RandomGaussianBlur(const RandomGaussianBlurArgs& args = {},
                            std::source_location created = std::source_location::current());

struct RandomColorJitterArgs {
  Config value_range = Config::List{0, 255};
  Config brightness_factor = {}, contrast_factor = {}, saturation_factor = {}, hue_factor = {};
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef RandomColorJitter(const RandomColorJitterArgs& args,
                           std::source_location created = std::source_location::current());

}  // namespace stoker::layers
