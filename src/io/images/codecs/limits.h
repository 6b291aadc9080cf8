#pragma once
#include "io/images/codecs/decode.h"

namespace stoker::images {

// Checks before memory for pixels is allocated.
void check_channels(int channels);
void check_pixels(const Blob& file, const ImageSize& size, const DecodeOptions& options);
void check_box(const Blob& file, const ImageSize& size, const Box& box);

// The size of the decoded image; the reader has read its header.
template <class Reader>
ImageSize checked_size(const Blob& file, const Reader& reader, const DecodeOptions& options) {
  check_channels(options.channels);
  ImageSize size = reader.size();
  check_pixels(file, size, options);
  reader.check_length();
  if (options.channels != 0) size.channels = options.channels;
  return size;
}

// An uninitialised image of that size.
Array uninitialized_image(const ImageSize& size);
// The same in reusable memory, which grows if necessary.
Pixels<uint8_t> room_in(PixelMemory& memory, const ImageSize& size);

}  // namespace stoker::images
