#pragma once
#include <string>
#include <vector>

#include "stoker/array.h"
#include "stoker/random.h"

// tf.image on one sample: images are arrays of shape (height, width, channels), uint8 with values
// from 0 to 255, or float32, which tf.image takes to have values from 0 to 1. Each function gives a
// new array. They may be called by many threads at once, as Dataset::map does.
namespace stoker::image {

// JPEG or PNG; the contents are the bytes of a file, uint8 (n,). 0 channels: as the file has them.
Array decode_image(const Array& contents, int channels = 0);
Array decode_jpeg(const Array& contents, int channels = 0);
Array decode_png(const Array& contents, int channels = 0);
Array load_image(const std::string& path, int channels = 0);

// 0 to 255 in uint8 becomes 0 to 1 in float32, and the reverse.
Array convert_image_dtype(const Array& image, DType dtype);

struct ResizeArgs {
  std::string method = "bilinear";  // or nearest, area, bicubic
  bool antialias = false;           // of bilinear and bicubic where the image becomes smaller
};
// float32 with the values of the image; nearest keeps the type.
Array resize(const Array& image, int64_t height, int64_t width, const ResizeArgs& args = {});

Array central_crop(const Array& image, double central_fraction);  // of each side
Array crop_to_bounding_box(const Array& image, int64_t offset_height, int64_t offset_width,
                           int64_t target_height, int64_t target_width);
Array pad_to_bounding_box(const Array& image, int64_t offset_height, int64_t offset_width,
                          int64_t target_height, int64_t target_width);  // with zeros
Array resize_with_crop_or_pad(const Array& image, int64_t target_height, int64_t target_width);
Array random_crop(const Array& image, int64_t height, int64_t width, Random& random);

struct RandomResizedCropArgs {
  float min_area = 0.08f, max_area = 1;                // of the part that is shown, of the image's
  float min_aspect = 3.0f / 4, max_aspect = 4.0f / 3;  // width over height, before resizing
  ResizeArgs resize = {};
};
// A part of random size and place, resized: float32, but nearest keeps the type.
Array random_resized_crop(const Array& image, int64_t height, int64_t width, Random& random,
                          const RandomResizedCropArgs& args = {});

Array flip_left_right(const Array& image);
Array flip_up_down(const Array& image);
Array random_flip_left_right(const Array& image, Random& random);  // every other one
Array random_flip_up_down(const Array& image, Random& random);

// A delta of 1 is the whole range of values, or once around the circle of hues. Saturation and hue
// need three channels.
Array adjust_brightness(const Array& image, float delta);
Array adjust_contrast(const Array& image, float contrast_factor);  // around each channel's mean
Array adjust_saturation(const Array& image, float saturation_factor);
Array adjust_hue(const Array& image, float delta);
Array random_brightness(const Array& image, float max_delta, Random& random);  // -max to max
Array random_contrast(const Array& image, float lower, float upper, Random& random);
Array random_saturation(const Array& image, float lower, float upper, Random& random);
Array random_hue(const Array& image, float max_delta, Random& random);

// What lies outside of the image: reflect dcba|abcd|dcba, constant, wrap abcd|abcd, nearest
// aa|abcd.
struct MoveArgs {
  std::string fill_mode = "reflect", interpolation = "bilinear";  // or nearest
  float fill_value = 0;
};
// As Keras's RandomRotation, RandomTranslation and RandomZoom move: by a share of a full turn, down
// and right by a share of the sides; negative factors zoom in. Random ones draw from -factor to
// factor.
Array rotate(const Array& image, float factor, const MoveArgs& args = {});
Array translate(const Array& image, float height_factor, float width_factor,
                const MoveArgs& args = {});
Array zoom(const Array& image, float height_factor, float width_factor, const MoveArgs& args = {});
Array random_rotation(const Array& image, float factor, Random& random, const MoveArgs& args = {});
Array random_translation(const Array& image, float height_factor, float width_factor,
                         Random& random, const MoveArgs& args = {});
Array random_zoom(const Array& image, float factor, Random& random, const MoveArgs& args = {});

// (image - mean) / stddev as float32, in the image's values: one number for each channel, or one
// for all.
Array normalize(const Array& image, const std::vector<float>& mean,
                const std::vector<float>& stddev);
Array per_image_standardization(const Array& image);

}  // namespace stoker::image
