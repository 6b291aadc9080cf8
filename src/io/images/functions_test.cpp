#include <gtest/gtest.h>

#include "io/images/adjust.h"
#include "io/images/random_crop.h"
#include "io/images/resize.h"
#include "io/images/test_images.h"
#include "stoker/image.h"

namespace stoker::image {
namespace {

using images::pattern;
using images::within;

Array file(const std::string& name) {
  const Blob blob = images::seed(name);
  const auto* const bytes = reinterpret_cast<const uint8_t*>(blob.data());
  return Array::from(std::vector<uint8_t>(bytes, bytes + blob.size()),
                     {static_cast<int64_t>(blob.size())});
}

TEST(ImageFunctions, DecodeBytesAndFiles) {
  const Array jpeg = file("jpeg/rgb_420"), png = file("png/gray");
  EXPECT_TRUE(within(decode_jpeg(jpeg), images::decode_image(images::seed("jpeg/rgb_420")), 0));
  EXPECT_TRUE(within(decode_image(jpeg), decode_jpeg(jpeg), 0));
  EXPECT_EQ(decode_image(png).shape()[2], 1);
  EXPECT_EQ(decode_png(png, 3).shape()[2], 3);
  const std::string path = std::string(STOKER_SOURCE_DIR) + "/fuzz/corpus/png/gray";
  EXPECT_TRUE(within(load_image(path, 3), decode_png(png, 3), 0));
  EXPECT_ERROR(decode_png(jpeg), "PNG");
  EXPECT_ERROR(decode_image(pattern(2, 2)), "uint8 of shape (n,), got (2, 2, 3)");
}

// The results of tf.image 2.21 for the shape (5, 8).
TEST(ImageFunctions, CropAndPadAsTensorFlow) {
  const Array image = pattern(5, 8);
  const auto top_left = [&](const Array& part) {
    for (int64_t i = 0; i < 5 * 8; ++i)
      if (image.at(3 * i) == part.at(0) && image.at(3 * i + 1) == part.at(1)) return i;
    return int64_t{-1};
  };
  const Array half = central_crop(image, 0.5);
  EXPECT_EQ(half.shape(), (Shape{3, 4, 3}));
  EXPECT_EQ(top_left(half), 1 * 8 + 2);
  EXPECT_EQ(central_crop(image, 1).shape(), image.shape());
  const Array padded = resize_with_crop_or_pad(image, 8, 3);
  EXPECT_EQ(padded.shape(), (Shape{8, 3, 3}));
  EXPECT_EQ(padded.at(0), 0);
  // one row added above, two columns cropped on the left
  EXPECT_EQ(padded.at(3 * 3), image.at(2 * 3));
  const Array box = crop_to_bounding_box(image, 2, 3, 3, 5);
  EXPECT_EQ(top_left(box), 2 * 8 + 3);
  EXPECT_EQ(box.at(box.size() - 1), image.at(image.size() - 1));
  EXPECT_ERROR(crop_to_bounding_box(image, 2, 3, 4, 5), "a box of 4 x 5 at (2, 3) is not inside");
  EXPECT_ERROR(pad_to_bounding_box(image, 1, 0, 5, 8), "at (1, 0) does not fit into 5 x 8");
  EXPECT_ERROR(central_crop(image, 0), "(0, 1], got 0");
  EXPECT_ERROR(central_crop(image.reshape({40, 3}), 1), "got (40, 3) in uint8");
}

TEST(ImageFunctions, GiveANewArrayOfTheSameType) {
  const Array image = pattern(4, 5), unit = convert_image_dtype(image, DType::float32);
  EXPECT_NEAR(unit.at(7), image.at(7) / 255, 1e-6);
  EXPECT_TRUE(within(convert_image_dtype(unit, DType::uint8), image, 0));
  for (const Array& given : {image, unit}) {
    const Array before = given.clone();
    const Array results[] = {flip_left_right(given),
                             flip_up_down(given),
                             adjust_brightness(given, 0.1f),
                             adjust_contrast(given, 1.5f),
                             adjust_saturation(given, 0.5f),
                             adjust_hue(given, 0.2f),
                             rotate(given, 0.1f),
                             translate(given, 0.2f, 0.1f),
                             zoom(given, 0.2f, 0.3f)};
    for (const Array& result : results) {
      EXPECT_EQ(result.type(), given.type());
      EXPECT_FALSE(within(result, given, 0));
    }
    EXPECT_TRUE(within(given, before, 0));
    EXPECT_TRUE(within(rotate(given, 0.5f), flip_up_down(flip_left_right(given)),
                       given.dtype() == DType::uint8 ? 1 : 1e-3));
  }
}

TEST(ImageFunctions, DrawWithinTheirRanges) {
  const Array image(DType::float32, {4, 5, 3});
  double least = 1, most = -1;
  int flipped = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    Random random(1, 0, i);
    const double delta = random_brightness(image, 0.25f, random).at(0);
    least = std::min(least, delta), most = std::max(most, delta);
    const Array corner = random_crop(pattern(9, 9), 3, 4, random);
    EXPECT_EQ(corner.shape(), (Shape{3, 4, 3}));
    flipped += within(random_flip_left_right(pattern(4, 5), random), pattern(4, 5), 0) ? 0 : 1;
  }
  EXPECT_NEAR(least, -0.25, 0.01);
  EXPECT_NEAR(most, 0.25, 0.01);
  EXPECT_NEAR(flipped, 150, 30);
  Random random(1);
  EXPECT_ERROR(random_brightness(image, -1, random), "must not be negative, got -1");
  EXPECT_ERROR(random_contrast(image, 2, 1, random), "got 2 and 1");
  EXPECT_ERROR(random_crop(image, 5, 5, random), "5 x 5 pixels of an image of 4 x 5");
}

TEST(ImageFunctions, ResizeARandomCrop) {
  const Array image = pattern(30, 40);
  Random random(4), same(4);
  const images::Box box = images::random_resized_crop(30, 40, {}, same);
  const Array part = crop_to_bounding_box(image, box.top, box.left, box.height, box.width);
  EXPECT_TRUE(within(random_resized_crop(image, 6, 7, random), resize(part, 6, 7), 1e-3));
  EXPECT_EQ(resize(image, 6, 7, {.method = "nearest"}).dtype(), DType::uint8);
  EXPECT_ERROR(resize(image, 6, 7, {.method = "lanczos"}), "unknown interpolation \"lanczos\"");
}

TEST(ImageFunctions, Normalize) {
  const Array image = pattern(3, 4);
  const Array one = normalize(image, {10}, {2}), each = normalize(image, {1, 2, 3}, {1, 2, 4});
  EXPECT_NEAR(one.at(5), (image.at(5) - 10) / 2, 1e-4);
  EXPECT_NEAR(each.at(5), (image.at(5) - 3) / 4, 1e-4);
  EXPECT_ERROR(normalize(image, {1, 2}, {1}), "2 numbers as mean and 1 as stddev");
  EXPECT_ERROR(normalize(image, {1}, {0}), "must be positive, got 0");
  const Array standard = per_image_standardization(image);
  double sum = 0, squares = 0;
  for (const float v : standard.data<float>()) sum += v, squares += v * v;
  EXPECT_NEAR(sum, 0, 1e-3);
  EXPECT_NEAR(squares, 36, 1e-2);
  EXPECT_EQ(per_image_standardization(Array(DType::uint8, {2, 2, 3})).at(0), 0);
}

}  // namespace
}  // namespace stoker::image
