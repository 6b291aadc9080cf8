#pragma once
#include <vector>

#include "core/memory/counted.h"
#include "io/blob.h"
#include "io/images/image.h"

namespace stoker::images {

using PixelMemory = std::vector<uint8_t, HostAllocator<uint8_t>>;

struct DecodeOptions {
  int channels = 0;  // 1: grey, 3: RGB, 4: RGBA; 0: as in the file
  int64_t max_pixels = int64_t{1} << 28;
  bool accurate_dct =
      false;  // for JPEG; false is TensorFlow's default, whose pixels are reproduced
};

// A region of an image, for a result of so many pixels.
struct RegionRequest {
  Box box;  // in pixels of the whole image
  // minimum size: a JPEG may be decoded at a smaller scale; 0: full scale
  int64_t height = 0, width = 0;
  DecodeOptions options;
};

// The decoded part: it contains the box, with fractional coordinates if decoded at a smaller scale.
struct Region {
  Pixels<const uint8_t> pixels;
  RealBox box;
};

// JPEG or PNG, recognised by the first bytes; other formats are refused by name. Damaged or
// truncated data is an IoError. Thread-safe.
ImageSize image_size(const Blob& file);  // reads the header only
Array decode_image(const Blob& file, const DecodeOptions& options = {});
// The pixels are in the caller's memory, which grows as needed and is reused for the next image.
Region decode_region(const Blob& file, const RegionRequest& request, PixelMemory& memory);

}  // namespace stoker::images
