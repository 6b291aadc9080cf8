#include "io/images/codecs/jpeg.h"

#include <algorithm>
#include <cmath>

#include "io/images/codecs/jpeg_reader.h"
#include "io/images/codecs/limits.h"

namespace stoker::images {
namespace {

// At the edges of the decoded columns the library lacks neighbours for its chroma interpolation.
constexpr int64_t margin = 2;

// The smallest of the library's scales that still has the requested number of pixels.
int scale_for(const RegionRequest& request) {
  if (request.height <= 0 || request.width <= 0) return 1;
  for (const int scale : {8, 4, 2})
    if (request.box.height >= request.height * scale && request.box.width >= request.width * scale)
      return scale;
  return 1;
}

// The pixels of a smaller image that a box overlaps.
Box touched(const RealBox& box, const ImageSize& size) {
  const auto begin = [](double at) { return static_cast<int64_t>(std::floor(at)); };
  const auto end = [](double at, int64_t most) {
    return std::min(static_cast<int64_t>(std::ceil(at)), most);
  };
  const int64_t top = begin(box.top), left = begin(box.left);
  return {top, left, end(box.top + box.height, size.height) - top,
          end(box.left + box.width, size.width) - left};
}

}  // namespace

bool is_jpeg(const Blob& file) { return file.text().starts_with("\xff\xd8\xff"); }

ImageSize jpeg_size(const Blob& file) { return JpegReader(file).size(); }

Array decode_jpeg(const Blob& file, const DecodeOptions& options) {
  JpegReader reader(file);
  const ImageSize size = checked_size(file, reader, options);
  Array image = uninitialized_image(size);
  reader.start(size.channels, 1, options.accurate_dct);
  reader.read_rows(mutable_pixels_of<uint8_t>(image));
  reader.finish();
  return image;
}

Region decode_jpeg_region(const Blob& file, const RegionRequest& request, PixelMemory& memory) {
  JpegReader reader(file);
  const ImageSize size = checked_size(file, reader, request.options);
  check_box(file, size, request.box);
  const int scale = scale_for(request);
  reader.start(size.channels, scale, request.options.accurate_dct);
  const ImageSize whole = reader.scaled_size();
  const RealBox full = real(request.box);
  const RealBox box{full.top / scale, full.left / scale, full.height / scale, full.width / scale};
  const Box needed = touched(box, whole);
  const int64_t left = std::max<int64_t>(needed.left - margin, 0);
  const int64_t right = std::min(needed.left + needed.width + margin, whole.width);
  if (right - left < whole.width) reader.keep_columns(left, right - left);
  const Pixels<uint8_t> pixels =
      room_in(memory, {needed.height, reader.kept_width(), size.channels});
  if (needed.top > 0) reader.skip_rows(needed.top);
  reader.read_rows(pixels);
  if (needed.top + needed.height == whole.height)
    reader.finish();
  else
    reader.expect_an_end();
  return {pixels.crop({0, needed.left - reader.kept_left(), needed.height, needed.width}),
          {box.top - static_cast<double>(needed.top), box.left - static_cast<double>(needed.left),
           box.height, box.width}};
}

}  // namespace stoker::images
