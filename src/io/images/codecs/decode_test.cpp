#include "io/images/codecs/decode.h"

#include <gtest/gtest.h>

#include "io/images/test_images.h"

namespace stoker::images {
namespace {

using std::literals::operator""sv;

TEST(DecodeImage, TellsFormatsByTheirBytes) {
  EXPECT_EQ(image_size(seed("jpeg/gray").renamed("a.png")).width, 35);
  EXPECT_EQ(image_size(seed("png/gray").renamed("a.jpg")).width, 13);
}

TEST(DecodeImage, NamesWhatItRefuses) {
  const auto error = [](std::string_view bytes) {
    return error_of([&] { decode_image(blob_of(bytes, "cat.jpg")); });
  };
  const auto expect = [&](std::string_view bytes, const char* name) {
    EXPECT_PRED_FORMAT2(::testing::IsSubstring,
                        std::string(name) + " images are not supported; JPEG and PNG are",
                        error(bytes));
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "convert it", error(bytes));
  };
  expect("RIFF\x10\0\0\0WEBPVP8 "sv, "WebP");
  expect("GIF89a"sv, "GIF");
  expect("BM\x10\0"sv, "BMP");
  expect("II*\0\x08"sv, "TIFF");
  expect("MM\0*\x08"sv, "TIFF");
  expect(
      "\0\0\0\x1c"
      "ftypavif"sv,
      "AVIF");
  expect(
      "\0\0\0\x1c"
      "ftypheic"sv,
      "HEIF");
  EXPECT_EQ(error(""), "the file is empty, not an image. At cat.jpg, offset 0.");
  EXPECT_EQ(error("RIFF....WAVE"), "this is neither a JPEG nor a PNG image. At cat.jpg, offset 0.");
}

}  // namespace
}  // namespace stoker::images
