#pragma once
#include <vector>

#include "core/memory/counted.h"
#include "io/blob.h"
#include "io/images/image.h"

namespace stoker::images {

using PixelMemory = std::vector<uint8_t, HostAllocator<uint8_t>>;

struct DecodeOptions {
  int channels = 0;  // 1: gray, 3: RGB, 4: RGBA; 0: as the file has them
  int64_t max_pixels = int64_t{1} << 28;
  bool accurate_dct = false;  // of JPEG; false is the default of TensorFlow, whose pixels these are
};

// A part of an image, for a result of so many pixels.
struct RegionRequest {
  Box box;                        // in pixels of the whole image
  int64_t height = 0, width = 0;  // a JPEG may come smaller, but not below this; 0: never smaller
  DecodeOptions options;
};

// What was decoded: the box lies in it, with fractions where the image was made smaller.
struct Region {
  Pixels<const uint8_t> pixels;
  RealBox box;
};

// JPEG or PNG, told apart by the first bytes; other formats are refused by name. Data that is
// damaged or ends too early is an IoError. All of these may be called by many threads at once.
ImageSize image_size(const Blob& file);  // reads the header only
Array decode_image(const Blob& file, const DecodeOptions& options = {});
// The pixels lie in the caller's memory, which grows as needed and serves the next image, too.
Region decode_region(const Blob& file, const RegionRequest& request, PixelMemory& memory);

}  // namespace stoker::images
