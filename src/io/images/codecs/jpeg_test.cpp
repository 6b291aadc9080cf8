#include "io/images/codecs/jpeg.h"

#include <gtest/gtest.h>

#include "io/images/test_images.h"

namespace stoker::images {
namespace {

constexpr const char* all[] = {"gray", "rgb_420",     "rgb_422", "rgb_444",
                               "cmyk", "progressive", "restarts"};

Blob jpeg(const char* name) { return seed(std::string("jpeg/") + name); }

void expect_regions(const Blob& file, int channels) {
  const Array whole = decode_jpeg(file, {.channels = channels});
  const int64_t height = whole.shape()[0], width = whole.shape()[1];
  PixelMemory memory;
  for (const int64_t top : {0, 1, 7, 8, 16, 20})
    for (const int64_t left : {0, 1, 7, 8, 15, 16, 17, 31, 34})
      for (const int64_t w : {int64_t{1}, int64_t{2}, int64_t{9}, width - left})
        for (const int64_t h : {int64_t{1}, height - top}) {
          if (w > width - left) continue;
          const Box box{top, left, h, w};
          const Region region =
              decode_jpeg_region(file, {.box = box, .options = {.channels = channels}}, memory);
          ASSERT_TRUE(within(copied(region.pixels), copied(pixels_of<uint8_t>(whole).crop(box)), 0))
              << "top " << top << " left " << left << " height " << h << " width " << w;
        }
}

TEST(Jpeg, RegionsAreWhatTheWholeImageHasThere) {
  for (const char* name : all) {
    SCOPED_TRACE(name);
    for (const int channels : {0, 1, 3, 4}) expect_regions(jpeg(name), channels);
  }
}

TEST(Jpeg, TheFourthChannelIsOpaque) {
  for (const char* name : {"gray", "rgb_420", "cmyk"}) {
    const Array rgb = decode_jpeg(jpeg(name), {.channels = 3}),
                rgba = decode_jpeg(jpeg(name), {.channels = 4});
    for (int64_t i = 0; i < rgb.size() / 3; ++i) {
      EXPECT_EQ(rgba.at(4 * i + 2), rgb.at(3 * i + 2));
      EXPECT_EQ(rgba.at(4 * i + 3), 255);
    }
  }
}

TEST(Jpeg, GrayOfInksIsThatOfTheirColours) {
  const Array rgb = decode_jpeg(jpeg("cmyk"), {.channels = 3}),
              gray = decode_jpeg(jpeg("cmyk"), {.channels = 1});
  for (int64_t i = 0; i < gray.size(); ++i)
    EXPECT_NEAR(gray.at(i),
                0.299 * rgb.at(3 * i) + 0.587 * rgb.at(3 * i + 1) + 0.114 * rgb.at(3 * i + 2), 0.6);
}

// At least as many pixels as requested, and the same image: compared by means of 4 x 4.
TEST(Jpeg, DecodesAtTheSmallestScaleThatIsLargeEnough) {
  const Array whole = decode_jpeg(jpeg("rgb_444"));  // 21 x 35
  PixelMemory memory;
  const auto decode = [&](const Box& box, int64_t height, int64_t width) {
    return decode_jpeg_region(jpeg("rgb_444"), {.box = box, .height = height, .width = width},
                              memory);
  };
  EXPECT_EQ(decode({0, 0, 21, 35}, 11, 11).pixels.height, 21);
  EXPECT_EQ(decode({0, 0, 21, 35}, 10, 17).pixels.height, 11);
  EXPECT_EQ(decode({0, 0, 21, 35}, 2, 5).pixels.width, 9);
  EXPECT_EQ(decode({0, 0, 21, 35}, 2, 4).pixels.width, 5);
  const Region region = decode({6, 9, 14, 25}, 3, 6);  // at 1/4, from row 1 and column 2 on
  ASSERT_EQ(region.pixels.height, 4);
  ASSERT_EQ(region.pixels.width, 7);
  EXPECT_EQ(region.box.top, 0.5);
  EXPECT_EQ(region.box.left, 0.25);
  EXPECT_EQ(region.box.height, 3.5);
  EXPECT_EQ(region.box.width, 6.25);
  for (int64_t y = 0; y < 3; ++y)
    for (int64_t x = 0; x < 6; ++x) {
      double mean = 0;
      for (int64_t i = 0; i < 16; ++i)
        mean += pixels_of<uint8_t>(whole).at(4 * (y + 1) + i / 4, 4 * (x + 2) + i % 4)[0] / 16.0;
      EXPECT_NEAR(region.pixels.at(y, x)[0], mean, 6) << y << ", " << x;
    }
}

TEST(Jpeg, AccurateTransformsDifferALittle) {
  const Array fast = decode_jpeg(jpeg("rgb_444")),
              accurate = decode_jpeg(jpeg("rgb_444"), {.accurate_dct = true});
  EXPECT_FALSE(within(fast, accurate, 0));
  EXPECT_TRUE(within(fast, accurate, 12));
}

TEST(Jpeg, EveryCutIsAnError) {
  PixelMemory memory;
  for (const char* name : all) {
    const Blob file = jpeg(name);
    for (size_t size = 0; size + 1 < file.size(); ++size) {
      const Blob cut = file.slice(0, size);
      EXPECT_THROW(decode_jpeg(cut), IoError) << name << " " << size;
      EXPECT_THROW(decode_jpeg_region(cut, {.box = {0, 0, 1, 1}}, memory), IoError)
          << name << " " << size;
    }
  }
  const Blob cut = jpeg("rgb_420").slice(0, 700);
  EXPECT_ERROR(decode_jpeg(cut.renamed("folder/cat.jpg")), "folder/cat.jpg, offset 700");
}

TEST(Jpeg, DamageIsAnErrorWithItsPlace) {
  std::string text(jpeg("rgb_444").text());
  const size_t scan = text.find("\xff\xda") + 60;
  text.replace(scan, 8, "\xff\xd9zzzzzz");
  EXPECT_ERROR(decode_jpeg(blob_of(text, "cat.jpg")), "At cat.jpg, offset");
}

std::string with_size(std::string text, const char* height_and_width) {
  const size_t frame = text.find("\xff\xc0");
  return text.replace(frame + 5, 4, height_and_width, 4);
}

TEST(Jpeg, ClaimsBeyondTheLimitOrTheFileTakeNoMemory) {
  const std::string text(jpeg("rgb_420").text());
  EXPECT_ERROR(decode_jpeg(blob_of(with_size(text, "\xfd\xe8\xfd\xe8"))),
               "an image of 65000 x 65000 pixels is larger than the limit of 268435456 pixels");
  EXPECT_ERROR(decode_jpeg(blob_of(with_size(text, "\x27\x10\x27\x10"))),
               "cannot hold an image of 10000 x 10000 pixels");
  EXPECT_ERROR(decode_jpeg(jpeg("gray"), {.max_pixels = 21 * 35 - 1}), "the limit of 734 pixels");
  EXPECT_NO_THROW(decode_jpeg(jpeg("gray"), {.max_pixels = 21 * 35}));
}

TEST(Jpeg, BoxesAndChannelsAreChecked) {
  PixelMemory memory;
  EXPECT_ERROR(decode_jpeg_region(jpeg("gray"), {.box = {0, 30, 5, 6}}, memory),
               "columns 30 to 36 are not inside the image of 21 x 35 pixels");
  EXPECT_ERROR(decode_jpeg_region(jpeg("gray"), {.box = {0, 0, 0, 6}}, memory), "rows 0 to 0");
  EXPECT_ERROR(decode_jpeg_region(jpeg("gray"), {.box = {-1, 0, 2, 6}}, memory), "rows -1 to 1");
  EXPECT_ERROR(decode_jpeg(jpeg("gray"), {.channels = 2}), "channels must be 0, 1, 3 or 4, got 2");
}

}  // namespace
}  // namespace stoker::images
