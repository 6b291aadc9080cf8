#pragma once
#include "io/images/codecs/decode.h"

namespace stoker::images {

// Checks of the readers, before any memory is taken for pixels.
void check_channels(int channels);
void check_pixels(const Blob& file, const ImageSize& size, const DecodeOptions& options);
void check_box(const Blob& file, const ImageSize& size, const Box& box);

// What decoding this file will make; the reader has read its header.
template <class Reader>
ImageSize checked_size(const Blob& file, const Reader& reader, const DecodeOptions& options) {
  check_channels(options.channels);
  ImageSize size = reader.size();
  check_pixels(file, size, options);
  reader.check_length();
  if (options.channels != 0) size.channels = options.channels;
  return size;
}

// An image of that size in memory that nobody has written yet.
Array uninitialized_image(const ImageSize& size);
// The same in memory that grows where it has to.
Pixels<uint8_t> room_in(PixelMemory& memory, const ImageSize& size);

}  // namespace stoker::images
