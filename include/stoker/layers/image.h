#pragma once
#include <optional>
#include <string>

#include "stoker/layer.h"
#include "stoker/sizes.h"

// Layers on images, (batch, height, width, channels) or a single image without the batch. Random
// ones act only in training, depending only on the seed and the number of calls so far.
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
// An image that is too small is resized first.
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

// A factor is a number f, meaning [-f, f], or a list of two.

struct RandomRotationArgs {
  Config factor = 0.0;                // of a full rotation
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
  Config height_factor = 0.0, width_factor = {};  // default width factor: the height factor
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

// The factor applies to the contrast, the value range, a full rotation of the hue, the number of
// bits to keep, or the fraction of images to invert.
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
  double factor = 0.5;  // fraction of the images
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
// Stretches every channel of an image to the full value range.
LayerRef AutoContrast(const AutoContrastArgs& args = {},
                      std::source_location created = std::source_location::current());

struct RandomErasingArgs {
  Config factor = 1.0;                      // fraction of the images
  Config scale = Config::List{0.02, 0.33};  // fraction of the image's area
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
  Config factor = 1.0;  // fraction of the images
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
