#pragma once
#include "io/images/codecs/decode.h"

namespace stoker::images {

bool is_png(const Blob& file);
ImageSize png_size(const Blob& file);
Array decode_png(const Blob& file, const DecodeOptions& options = {});
Region decode_png_region(const Blob& file, const RegionRequest& request, PixelMemory& memory);

}  // namespace stoker::images
