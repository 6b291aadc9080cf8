#include "io/images/codecs/limits.h"

#include <fmt/format.h>

namespace stoker::images {

void check_channels(int channels) {
  if (channels != 0 && channels != 1 && channels != 3 && channels != 4)
    throw InvalidArgument(fmt::format("channels must be 0, 1, 3 or 4, got {}.", channels),
                          "0 keeps what the file has.");
}

void check_pixels(const Blob& file, const ImageSize& size, const DecodeOptions& options) {
  if (size.height <= options.max_pixels / size.width) return;
  file.fail(
      0,
      fmt::format("an image of {} x {} pixels is larger than the limit of {} pixels.", size.height,
                  size.width, options.max_pixels),
      "the file is damaged, or made to exhaust the memory: leave it out, or make it smaller.");
}

void check_box(const Blob& file, const ImageSize& size, const Box& box) {
  const auto fits = [](int64_t begin, int64_t length, int64_t whole) {
    return begin >= 0 && length > 0 && begin < whole && length <= whole - begin;
  };
  if (fits(box.top, box.height, size.height) && fits(box.left, box.width, size.width)) return;
  throw InvalidArgument(fmt::format(
      "rows {} to {} and columns {} to {} are not inside the image of {} x {} pixels, {}.", box.top,
      box.top + box.height, box.left, box.left + box.width, size.height, size.width, file.name()));
}

Array uninitialized_image(const ImageSize& size) {
  const Shape shape{size.height, size.width, size.channels};
  return {DType::uint8, shape,
          Blob::allocate(static_cast<size_t>(shape.size()), "an image").share()};
}

Pixels<uint8_t> room_in(PixelMemory& memory, const ImageSize& size) {
  const int64_t stride = size.width * size.channels;
  const auto bytes = static_cast<size_t>(size.height * stride);
  if (memory.size() < bytes) memory.resize(bytes);
  return {memory.data(), size.height, size.width, size.channels, stride};
}

}  // namespace stoker::images
