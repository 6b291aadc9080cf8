#include "io/images/codecs/png_writer.h"

#include <fmt/format.h>
#include <png.h>

namespace stoker::images {
namespace {

png_uint_32 format_of(const Array& image) {
  const Shape& shape = image.shape();
  if (image.dtype() == DType::uint8 && shape.rank() == 3 && image.size() > 0) {
    if (shape[2] == 1) return PNG_FORMAT_GRAY;
    if (shape[2] == 3) return PNG_FORMAT_RGB;
    if (shape[2] == 4) return PNG_FORMAT_RGBA;
  }
  throw InvalidArgument(
      fmt::format("{} is not an image that PNG files can hold.", to_string(image.type())),
      "uint8 of shape (height, width, channels), with 1, 3 or 4 channels.");
}

}  // namespace

std::vector<std::byte> encode_png(const Array& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.format = format_of(image);
  header.height = static_cast<png_uint_32>(image.shape()[0]);
  header.width = static_cast<png_uint_32>(image.shape()[1]);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::vector<std::byte> file(size);
  if (!png_image_write_to_memory(&header, file.data(), &size, 0, image.raw(), 0, nullptr))
    throw InvalidArgument(fmt::format("cannot encode {} as PNG: {}.", to_string(image.type()),
                                      static_cast<const char*>(header.message)));
  file.resize(size);
  return file;
}

}  // namespace stoker::images
