#pragma once
#include "io/images/codecs/decode.h"
#include "io/images/resize.h"

namespace stoker::images {

// Reusable memory; one per thread.
struct ImageMemory {
  PixelMemory pixels;
  ResizeMemory resize;
};

struct CropResizeOptions {
  Box box;  // in pixels of the whole image
  ResizeOptions resize;
  Normalization normalization;
  // Decodes a JPEG at 1/2, 1/4 or 1/8 if the result is still smaller: much faster for large photos,
  // and smoother than tf.image, which skips pixels without antialias.
  bool allow_scaled_decode = false;
  int64_t max_pixels = DecodeOptions().max_pixels;
};

// From a file's bytes directly to the result's memory, uint8 or float32, whose number of channels
// (1, 3 or 4) is decoded.
template <class To>
void decode_crop_resize(const Blob& file, const CropResizeOptions& options, const Pixels<To>& to,
                        ImageMemory& memory);

extern template void decode_crop_resize(const Blob&, const CropResizeOptions&,
                                        const Pixels<uint8_t>&, ImageMemory&);
extern template void decode_crop_resize(const Blob&, const CropResizeOptions&, const Pixels<float>&,
                                        ImageMemory&);

}  // namespace stoker::images
