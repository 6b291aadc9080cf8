#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/images/adjust.h"
#include "io/images/affine.h"
#include "io/images/checks.h"
#include "io/images/codecs/jpeg.h"
#include "io/images/codecs/png.h"
#include "io/images/normalize.h"
#include "stoker/image.h"

namespace stoker::images {

void check_image(const Array& image, const char* function) {
  const bool type = image.dtype() == DType::uint8 || image.dtype() == DType::float32;
  if (!type || image.shape().rank() != 3 || image.size() == 0)
    throw InvalidArgument(
        fmt::format("image::{} takes an image of shape (height, width, channels) "
                    "in uint8 or float32, got {} in {}.",
                    function, to_string(image.shape()), name_of(image.dtype())));
}

}  // namespace stoker::images

namespace stoker::image {
namespace {

using namespace images;

Blob blob_of(const Array& contents) {
  if (contents.dtype() != DType::uint8 || contents.shape().rank() != 1)
    throw InvalidArgument(
        fmt::format("the bytes of an image file are uint8 of shape (n,), got {} in {}.",
                    to_string(contents.shape()), name_of(contents.dtype())));
  return Blob::copy(std::as_bytes(contents.data<uint8_t>()), "the bytes of an image");
}

// A modified copy of the image.
template <class F>
Array changed(const Array& image, const char* function, const F& f) {
  check_image(image, function);
  Array result = image.clone();
  with_type(image, [&]<class T>(T) { f(mutable_pixels_of<T>(result)); });
  return result;
}

Array moved(const Array& image, const Affine& affine, const MoveArgs& args) {
  const SamplingOptions options{.interpolation = parse_interpolation(args.interpolation),
                                .fill_mode = parse_fill_mode(args.fill_mode),
                                .fill_value = args.fill_value};
  Array result(image.dtype(), image.shape());
  with_type(image, [&]<class T>(T) {
    transform(pixels_of<T>(image), affine, options, mutable_pixels_of<T>(result));
  });
  return result;
}

template <class T>
void copy_rows(const Pixels<const T>& from, const Pixels<T>& to) {
  for (int64_t y = 0; y < from.height; ++y)
    std::copy_n(from.row(y), from.width * from.channels, to.row(y));
}

}  // namespace

Array decode_image(const Array& contents, int channels) {
  return images::decode_image(blob_of(contents), {.channels = channels});
}
Array decode_jpeg(const Array& contents, int channels) {
  return images::decode_jpeg(blob_of(contents), {.channels = channels});
}
Array decode_png(const Array& contents, int channels) {
  return images::decode_png(blob_of(contents), {.channels = channels});
}
Array load_image(const std::string& path, int channels) {
  return images::decode_image(read_file(path), {.channels = channels});
}

Array convert_image_dtype(const Array& image, DType dtype) {
  check_image(image, "convert_image_dtype");
  if (dtype != DType::uint8 && dtype != DType::float32)
    throw InvalidArgument(fmt::format(
        "image::convert_image_dtype supports uint8 and float32, got {}.", name_of(dtype)));
  if (dtype == image.dtype()) return image;
  Array result(dtype, image.shape());
  if (dtype == DType::float32)
    std::ranges::transform(image.data<uint8_t>(), result.mutable_data<float>().begin(),
                           [](uint8_t v) { return static_cast<float>(v) / 255; });
  else
    std::ranges::transform(
        image.data<float>(), result.mutable_data<uint8_t>().begin(),
        [](float v) { return static_cast<uint8_t>(std::clamp(v * 255.5f, 0.0f, 255.0f)); });
  return result;
}

Array resize(const Array& image, int64_t height, int64_t width, const ResizeArgs& args) {
  check_image(image, "resize");
  return images::resize(
      image, height, width,
      {.interpolation = parse_interpolation(args.method), .antialias = args.antialias});
}

Array crop_to_bounding_box(const Array& image, int64_t top, int64_t left, int64_t height,
                           int64_t width) {
  check_image(image, "crop_to_bounding_box");
  const Shape& shape = image.shape();
  if (top < 0 || left < 0 || height < 1 || width < 1 || top + height > shape[0] ||
      left + width > shape[1])
    throw InvalidArgument(
        fmt::format("image::crop_to_bounding_box: a box of {} x {} at ({}, {}) is not inside an "
                    "image of {} x {}.",
                    height, width, top, left, shape[0], shape[1]));
  Array result(image.dtype(), {height, width, shape[2]});
  with_type(image, [&]<class T>(T) {
    copy_rows(pixels_of<T>(image).crop({top, left, height, width}), mutable_pixels_of<T>(result));
  });
  return result;
}

Array pad_to_bounding_box(const Array& image, int64_t top, int64_t left, int64_t height,
                          int64_t width) {
  check_image(image, "pad_to_bounding_box");
  const Shape& shape = image.shape();
  if (top < 0 || left < 0 || top + shape[0] > height || left + shape[1] > width)
    throw InvalidArgument(fmt::format(
        "image::pad_to_bounding_box: an image of {} x {} at ({}, {}) does not fit into {} x {}.",
        shape[0], shape[1], top, left, height, width));
  Array result(image.dtype(), {height, width, shape[2]});
  with_type(image, [&]<class T>(T) {
    copy_rows(pixels_of<T>(image),
              mutable_pixels_of<T>(result).crop({top, left, shape[0], shape[1]}));
  });
  return result;
}

// As in tf.image: cropping and padding are centred, the smaller half at the top and left.
Array resize_with_crop_or_pad(const Array& image, int64_t height, int64_t width) {
  check_image(image, "resize_with_crop_or_pad");
  const int64_t h = image.shape()[0], w = image.shape()[1];
  const auto cut = [](int64_t have, int64_t want) { return std::max<int64_t>(0, have - want) / 2; };
  const Array cropped = crop_to_bounding_box(image, cut(h, height), cut(w, width),
                                             std::min(h, height), std::min(w, width));
  return pad_to_bounding_box(cropped, cut(height, h), cut(width, w), height, width);
}

Array central_crop(const Array& image, double central_fraction) {
  check_image(image, "central_crop");
  if (!(central_fraction > 0 && central_fraction <= 1))
    throw InvalidArgument(fmt::format(
        "image::central_crop: central_fraction must be in (0, 1], got {}.", central_fraction));
  const auto begin = [&](int64_t side) {
    const auto length = static_cast<double>(side);
    return static_cast<int64_t>((length - length * central_fraction) / 2);
  };
  const int64_t h = image.shape()[0], w = image.shape()[1];
  return crop_to_bounding_box(image, begin(h), begin(w), h - 2 * begin(h), w - 2 * begin(w));
}

Array flip_left_right(const Array& image) {
  return changed(image, "flip_left_right", [](auto pixels) { images::flip_left_right(pixels); });
}
Array flip_up_down(const Array& image) {
  return changed(image, "flip_up_down", [](auto pixels) { images::flip_up_down(pixels); });
}
Array adjust_brightness(const Array& image, float delta) {
  return changed(image, "adjust_brightness",
                 [=](auto pixels) { images::adjust_brightness(pixels, delta); });
}
Array adjust_contrast(const Array& image, float factor) {
  return changed(image, "adjust_contrast",
                 [=](auto pixels) { images::adjust_contrast(pixels, factor); });
}
Array adjust_saturation(const Array& image, float factor) {
  return changed(image, "adjust_saturation",
                 [=](auto pixels) { images::adjust_saturation(pixels, factor); });
}
Array adjust_hue(const Array& image, float delta) {
  return changed(image, "adjust_hue", [=](auto pixels) { images::adjust_hue(pixels, delta); });
}

Array rotate(const Array& image, float factor, const MoveArgs& args) {
  check_image(image, "rotate");
  return moved(image, images::rotation(image.shape()[0], image.shape()[1], factor), args);
}
Array translate(const Array& image, float height_factor, float width_factor, const MoveArgs& args) {
  check_image(image, "translate");
  return moved(image,
               images::translation(image.shape()[0], image.shape()[1], height_factor, width_factor),
               args);
}
Array zoom(const Array& image, float height_factor, float width_factor, const MoveArgs& args) {
  check_image(image, "zoom");
  return moved(image, images::zoom(image.shape()[0], image.shape()[1], height_factor, width_factor),
               args);
}

Array normalize(const Array& image, const std::vector<float>& mean,
                const std::vector<float>& stddev) {
  check_image(image, "normalize");
  const Normalization by = images::normalization(mean, stddev, image.shape()[2]);
  Array result(DType::float32, image.shape());
  with_type(image, [&]<class T>(T) {
    images::normalize(pixels_of<T>(image), by, mutable_pixels_of<float>(result));
  });
  return result;
}

// As in tf.image: the divisor is at least 1 / sqrt(number of values), never 0.
Array per_image_standardization(const Array& image) {
  check_image(image, "per_image_standardization");
  const Array values = image.astype(DType::float32);
  double sum = 0, squares = 0;
  for (const float v : values.data<float>()) sum += v, squares += double{v} * v;
  const auto count = static_cast<double>(image.size());
  const double mean = sum / count, variance = std::max(0.0, squares / count - mean * mean);
  const double by = std::max(std::sqrt(variance), 1 / std::sqrt(count));
  Array result(DType::float32, image.shape());
  std::ranges::transform(values.data<float>(), result.mutable_data<float>().begin(),
                         [&](float v) { return static_cast<float>((v - mean) / by); });
  return result;
}

}  // namespace stoker::image
