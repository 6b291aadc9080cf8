#pragma once
#include <string>
#include <vector>

#include "stoker/array.h"
#include "stoker/random.h"

// tf.image for single images: arrays of shape (height, width, channels), uint8 with values from 0
// to 255, or float32, for which tf.image assumes values from 0 to 1. Each function returns a new
// array. They are thread-safe, for Dataset::map.
namespace stoker::image {

// Decodes JPEG or PNG; the contents are a file's bytes, uint8 (n,). 0 channels: as in the file.
Array decode_image(const Array& contents, int channels = 0);
Array decode_jpeg(const Array& contents, int channels = 0);
Array decode_png(const Array& contents, int channels = 0);
Array load_image(const std::string& path, int channels = 0);

// Converts 0 to 255 in uint8 to 0 to 1 in float32, and vice versa.
Array convert_image_dtype(const Array& image, DType dtype);

struct ResizeArgs {
  // or nearest, area, bicubic, lanczos3, lanczos5, gaussian, mitchellcubic
  std::string method = "bilinear";
  bool antialias = false;  // when downscaling, except for nearest and area
};
// Returns float32 in the image's value range; nearest keeps the type.
Array resize(const Array& image, int64_t height, int64_t width, const ResizeArgs& args = {});

Array central_crop(const Array& image, double central_fraction);  // of each side
Array crop_to_bounding_box(const Array& image, int64_t offset_height, int64_t offset_width,
                           int64_t target_height, int64_t target_width);
Array pad_to_bounding_box(const Array& image, int64_t offset_height, int64_t offset_width,
                          int64_t target_height, int64_t target_width);  // padded with zeros
Array resize_with_crop_or_pad(const Array& image, int64_t target_height, int64_t target_width);
Array random_crop(const Array& image, int64_t height, int64_t width, Random& random);

struct RandomResizedCropArgs {
  float min_area = 0.08f, max_area = 1;                // of the crop, relative to the image
  float min_aspect = 3.0f / 4, max_aspect = 4.0f / 3;  // width / height of the crop before resizing
  ResizeArgs resize = {};
};
// A crop of random size and position, resized: float32, but nearest keeps the type.
Array random_resized_crop(const Array& image, int64_t height, int64_t width, Random& random,
                          const RandomResizedCropArgs& args = {});

Array flip_left_right(const Array& image);
Array flip_up_down(const Array& image);
Array random_flip_left_right(const Array& image, Random& random);  // with probability 1/2
Array random_flip_up_down(const Array& image, Random& random);

// A delta of 1 is the whole value range, or a full rotation of the hue. Saturation and hue require
// three channels.
Array adjust_brightness(const Array& image, float delta);
Array adjust_contrast(const Array& image, float contrast_factor);  // around each channel's mean
Array adjust_saturation(const Array& image, float saturation_factor);
Array adjust_hue(const Array& image, float delta);
Array random_brightness(const Array& image, float max_delta, Random& random);  // -max to max
Array random_contrast(const Array& image, float lower, float upper, Random& random);
Array random_saturation(const Array& image, float lower, float upper, Random& random);
Array random_hue(const Array& image, float max_delta, Random& random);

// Fill mode for points outside the image: reflect dcba|abcd|dcba, constant, wrap abcd|abcd, nearest
// aa|abcd.
struct MoveArgs {
  std::string fill_mode = "reflect", interpolation = "bilinear";  // or nearest
  float fill_value = 0;
};
// As Keras's RandomRotation, RandomTranslation and RandomZoom: factors are fractions of a full
// rotation, or of the height and width; negative zoom factors zoom in. Random variants draw from
// -factor to factor.
Array rotate(const Array& image, float factor, const MoveArgs& args = {});
Array translate(const Array& image, float height_factor, float width_factor,
                const MoveArgs& args = {});
Array zoom(const Array& image, float height_factor, float width_factor, const MoveArgs& args = {});
Array random_rotation(const Array& image, float factor, Random& random, const MoveArgs& args = {});
Array random_translation(const Array& image, float height_factor, float width_factor,
                         Random& random, const MoveArgs& args = {});
Array random_zoom(const Array& image, float factor, Random& random, const MoveArgs& args = {});

// (image - mean) / stddev as float32, in the image's value range: one number per channel, or one
// for all.
Array normalize(const Array& image, const std::vector<float>& mean,
                const std::vector<float>& stddev);
Array per_image_standardization(const Array& image);

}  // namespace stoker::image
