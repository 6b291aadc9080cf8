#include "io/images/codecs/decode.h"

#include <fmt/format.h>

#include "io/images/codecs/jpeg.h"
#include "io/images/codecs/png.h"

namespace stoker::images {
namespace {

struct Codec {
  ImageSize (*size)(const Blob&);
  Array (*decode)(const Blob&, const DecodeOptions&);
  Region (*decode_region)(const Blob&, const RegionRequest&, PixelMemory&);
};
constexpr Codec jpeg{jpeg_size, decode_jpeg, decode_jpeg_region};
constexpr Codec png{png_size, decode_png, decode_png_region};

// The signatures of other file formats.
struct ForeignFormat {
  std::string_view name, magic;
  size_t offset = 0;
  std::string_view more = {};
};
using std::literals::operator""sv;
constexpr ForeignFormat foreign[] = {
    {"WebP", "RIFF", 8, "WEBP"},
    {"GIF", "GIF8"},
    {"BMP", "BM"},
    {"TIFF", "II*\0"sv},
    {"TIFF", "MM\0*"sv},
    {"AVIF", "", 4, "ftypavif"},
    {"AVIF", "", 4, "ftypavis"},
    {"HEIF", "", 4, "ftypheic"},
    {"HEIF", "", 4, "ftypmif1"},
    {"JPEG 2000", "\0\0\0\x0cjP  "sv},
    {"JPEG XL", "\xff\x0a"},
    {"JPEG XL", "\0\0\0\x0cJXL "sv},
};

std::string_view foreign_format(std::string_view bytes) {
  for (const ForeignFormat& format : foreign)
    if (bytes.starts_with(format.magic) && bytes.size() >= format.offset &&
        bytes.substr(format.offset).starts_with(format.more))
      return format.name;
  return {};
}

const Codec& codec_of(const Blob& file) {
  if (is_jpeg(file)) return jpeg;
  if (is_png(file)) return png;
  if (file.size() == 0) file.fail(0, "the file is empty, not an image.");
  if (const std::string_view name = foreign_format(file.text()); !name.empty())
    file.fail(0, fmt::format("{} images are not supported; JPEG and PNG are.", name),
              "convert it, for example with ImageMagick: convert in out.png");
  file.fail(0, "this is neither a JPEG nor a PNG image.");
}

}  // namespace

ImageSize image_size(const Blob& file) { return codec_of(file).size(file); }

Array decode_image(const Blob& file, const DecodeOptions& options) {
  return codec_of(file).decode(file, options);
}

Region decode_region(const Blob& file, const RegionRequest& request, PixelMemory& memory) {
  return codec_of(file).decode_region(file, request, memory);
}

}  // namespace stoker::images
