#include "io/images/codecs/png.h"

#include <gtest/gtest.h>

#include "io/images/test_images.h"

namespace stoker::images {
namespace {

constexpr const char* all[] = {"gray",    "gray_1",         "gray_16", "gray_alpha",
                               "rgb",     "rgb_interlaced", "rgb_key", "rgba_16_interlaced",
                               "palette", "palette_alpha"};

Blob png(const char* name) { return seed(std::string("png/") + name); }

TEST(Png, RegionsAreWhatTheWholeImageHasThere) {
  PixelMemory memory;
  for (const char* name : all)
    for (const int channels : {0, 1, 3, 4}) {
      const Array whole = decode_png(png(name), {.channels = channels});
      for (const Box& box :
           {Box{0, 0, 9, 13}, Box{2, 3, 4, 5}, Box{8, 12, 1, 1}, Box{0, 0, 1, 2}}) {
        const Region region =
            decode_png_region(png(name), {.box = box, .options = {.channels = channels}}, memory);
        EXPECT_TRUE(within(copied(region.pixels), copied(pixels_of<uint8_t>(whole).crop(box)), 0))
            << name;
      }
    }
}

TEST(Png, InterlacedIsTheSameImage) {
  EXPECT_TRUE(within(decode_png(png("rgb_interlaced")), decode_png(png("rgb")), 0));
}

TEST(Png, AddedAlphaIsOpaqueAtEveryDepth) {
  for (const char* name : {"gray_1", "gray_4", "gray_16", "palette", "rgb"}) {
    const Array image = decode_png(png(name), {.channels = 4});
    for (int64_t i = 3; i < image.size(); i += 4) ASSERT_EQ(image.at(i), 255) << name;
  }
}

TEST(Png, EveryCutIsAnError) {
  PixelMemory memory;
  for (const char* name : all) {
    const Blob file = png(name);
    for (size_t size = 0; size + 8 < file.size(); ++size) {
      const Blob cut = file.slice(0, size);
      EXPECT_THROW(decode_png(cut), IoError) << name << " " << size;
      EXPECT_THROW(decode_png_region(cut, {.box = {0, 0, 1, 1}}, memory), IoError)
          << name << " " << size;
    }
  }
  EXPECT_ERROR(decode_png(png("rgb").slice(0, 60).renamed("dog.png")), "At dog.png, offset");
}

TEST(Png, EveryDamagedByteOfTheImageIsAnError) {
  const Blob file = png("rgb");
  const size_t begin = file.text().find("IDAT"), end = file.text().find("IEND") - 4;
  for (size_t at = begin; at < end; ++at) {
    std::string text(file.text());
    text[at] = static_cast<char>(text[at] ^ 4);
    EXPECT_THROW(decode_png(blob_of(text)), IoError) << at;
  }
}

TEST(Png, ClaimsBeyondTheLimitOrTheFileTakeNoMemory) {
  const auto claiming = [](const char* width_and_height) {
    std::string text(png("rgb").text());
    return blob_of(text.replace(16, 8, width_and_height, 8));
  };
  // The size is protected by a checksum; a decompression bomb would have a valid one.
  EXPECT_ERROR(decode_png(claiming("\0\0\xff\xff\0\0\xff\xff")), "CRC");
  EXPECT_ERROR(decode_png(png("rgb"), {.max_pixels = 116}),
               "an image of 9 x 13 pixels is larger than the limit of 116 pixels");
}

}  // namespace
}  // namespace stoker::images
