#include "io/images/crop_resize.h"

#include <gtest/gtest.h>

#include "io/images/test_images.h"

namespace stoker::images {
namespace {

TEST(CropResize, WritesIntoARowOfABatch) {
  const Blob file = seed("jpeg/rgb_420");
  const Box box{3, 5, 15, 22};
  Array batch(DType::float32, {2, 8, 9, 3});
  ImageMemory memory;
  const Pixels<float> second{batch.mutable_data<float>().data() + 8 * 9 * 3, 8, 9, 3, 9 * 3};
  decode_crop_resize(file, {.box = box, .normalization = {{2, 2, 2}, {1, 1, 1}}}, second, memory);
  const Array cropped = copied(pixels_of<uint8_t>(decode_image(file)).crop(box));
  const Array want = resize(cropped, 8, 9);
  for (int64_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(batch.at(i), 0);
    EXPECT_NEAR(batch.at(want.size() + i), 2 * want.at(i) + 1, 1e-3);
  }
}

// Decoding at half the size is a smoothing of the same picture in the same position.
TEST(CropResize, AScaledDecodeIsNearAnAntialiasedResize) {
  const Blob file = seed("jpeg/rgb_444");
  Array scaled(DType::uint8, {4, 6, 3}), full(DType::uint8, {4, 6, 3});
  ImageMemory memory;
  CropResizeOptions options{.box = {1, 3, 19, 29}, .resize = {.antialias = true}};
  decode_crop_resize(file, options, mutable_pixels_of<uint8_t>(full), memory);
  options.allow_scaled_decode = true;
  decode_crop_resize(file, options, mutable_pixels_of<uint8_t>(scaled), memory);
  EXPECT_FALSE(within(scaled, full, 0));
  EXPECT_TRUE(within(scaled, full, 12));
}

}  // namespace
}  // namespace stoker::images
