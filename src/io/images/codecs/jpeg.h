#pragma once
#include "io/images/codecs/decode.h"

namespace stoker::images {

bool is_jpeg(const Blob& file);
ImageSize jpeg_size(const Blob& file);
Array decode_jpeg(const Blob& file, const DecodeOptions& options = {});
Region decode_jpeg_region(const Blob& file, const RegionRequest& request, PixelMemory& memory);

}  // namespace stoker::images
