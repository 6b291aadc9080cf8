#include "io/images/crop_resize.h"

namespace stoker::images {

template <class To>
void decode_crop_resize(const Blob& file, const CropResizeOptions& options, const Pixels<To>& to,
                        ImageMemory& memory) {
  RegionRequest request{.box = options.box,
                        .options = {.channels = to.channels, .max_pixels = options.max_pixels}};
  if (options.allow_scaled_decode) request.height = to.height, request.width = to.width;
  const Region region = decode_region(file, request, memory.pixels);
  resize(region.pixels, region.box, options.resize, options.normalization, to, memory.resize);
}

template void decode_crop_resize(const Blob&, const CropResizeOptions&, const Pixels<uint8_t>&,
                                 ImageMemory&);
template void decode_crop_resize(const Blob&, const CropResizeOptions&, const Pixels<float>&,
                                 ImageMemory&);

}  // namespace stoker::images
