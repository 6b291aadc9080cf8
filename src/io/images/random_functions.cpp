#include <fmt/format.h>

#include "io/images/checks.h"
#include "io/images/random_crop.h"
#include "io/images/resize.h"
#include "stoker/image.h"

namespace stoker::image {
namespace {

void check_range(float lower, float upper, const char* function) {
  if (!(lower >= 0 && lower <= upper))
    throw InvalidArgument(
        fmt::format("image::{}: lower must be at least 0 and not above upper, got {} and {}.",
                    function, lower, upper));
}

float around_zero(float most, Random& random, const char* function) {
  if (!(most >= 0))
    throw InvalidArgument(
        fmt::format("image::{}: the largest change must not be negative, got {}.", function, most));
  return random.uniform(-most, most);
}

}  // namespace

Array random_crop(const Array& image, int64_t height, int64_t width, Random& random) {
  images::check_image(image, "random_crop");
  const int64_t down = image.shape()[0] - height, right = image.shape()[1] - width;
  if (height < 1 || width < 1 || down < 0 || right < 0)
    throw InvalidArgument(fmt::format("image::random_crop: {} x {} pixels of an image of {} x {}.",
                                      height, width, image.shape()[0], image.shape()[1]));
  const int64_t top = random.below(down + 1);
  return crop_to_bounding_box(image, top, random.below(right + 1), height, width);
}

Array random_resized_crop(const Array& image, int64_t height, int64_t width, Random& random,
                          const RandomResizedCropArgs& args) {
  images::check_image(image, "random_resized_crop");
  const images::Box box = images::random_resized_crop(
      image.shape()[0], image.shape()[1],
      {{args.min_area, args.max_area}, {args.min_aspect, args.max_aspect}}, random);
  return resize(crop_to_bounding_box(image, box.top, box.left, box.height, box.width), height,
                width, args.resize);
}

Array random_flip_left_right(const Array& image, Random& random) {
  return random.chance(0.5f) ? flip_left_right(image) : image;
}
Array random_flip_up_down(const Array& image, Random& random) {
  return random.chance(0.5f) ? flip_up_down(image) : image;
}

Array random_brightness(const Array& image, float max_delta, Random& random) {
  return adjust_brightness(image, around_zero(max_delta, random, "random_brightness"));
}
Array random_contrast(const Array& image, float lower, float upper, Random& random) {
  check_range(lower, upper, "random_contrast");
  return adjust_contrast(image, random.uniform(lower, upper));
}
Array random_saturation(const Array& image, float lower, float upper, Random& random) {
  check_range(lower, upper, "random_saturation");
  return adjust_saturation(image, random.uniform(lower, upper));
}
Array random_hue(const Array& image, float max_delta, Random& random) {
  return adjust_hue(image, around_zero(max_delta, random, "random_hue"));
}

Array random_rotation(const Array& image, float factor, Random& random, const MoveArgs& args) {
  return rotate(image, around_zero(factor, random, "random_rotation"), args);
}
Array random_translation(const Array& image, float height_factor, float width_factor,
                         Random& random, const MoveArgs& args) {
  const float down = around_zero(height_factor, random, "random_translation");
  return translate(image, down, around_zero(width_factor, random, "random_translation"), args);
}
Array random_zoom(const Array& image, float factor, Random& random, const MoveArgs& args) {
  const float by = around_zero(factor, random, "random_zoom");
  return zoom(image, by, by, args);
}

}  // namespace stoker::image
