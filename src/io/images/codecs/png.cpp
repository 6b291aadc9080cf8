#include "io/images/codecs/png.h"

#include "io/images/codecs/limits.h"
#include "io/images/codecs/png_reader.h"

namespace stoker::images {
bool is_png(const Blob& file) { return file.text().starts_with("\x89PNG\r\n\x1a\n"); }

ImageSize png_size(const Blob& file) { return PngReader(file).size(); }

Array decode_png(const Blob& file, const DecodeOptions& options) {
  PngReader reader(file);
  const ImageSize size = checked_size(file, reader, options);
  Array image = uninitialized_image(size);
  reader.start(size.channels);
  reader.read_image(mutable_pixels_of<uint8_t>(image));
  reader.finish();
  return image;
}

// Rows above the box are decoded and dropped, those below it are not read.
Region decode_png_region(const Blob& file, const RegionRequest& request, PixelMemory& memory) {
  PngReader reader(file);
  const ImageSize size = checked_size(file, reader, request.options);
  const Box& box = request.box;
  check_box(file, size, box);
  reader.start(size.channels);
  const int64_t end = reader.interlaced() ? size.height : box.top + box.height;
  const int64_t begin = reader.interlaced() ? 0 : box.top;
  const Pixels<uint8_t> rows = room_in(memory, {end - begin, size.width, size.channels});
  if (reader.interlaced())
    reader.read_image(rows);
  else
    for (int64_t y = 0; y < end; ++y) reader.read_row(rows.row(y < begin ? 0 : y - begin));
  if (end == size.height)
    reader.finish();
  else
    reader.expect_an_end();
  return {rows.crop({box.top - begin, box.left, box.height, box.width}),
          {0, 0, static_cast<double>(box.height), static_cast<double>(box.width)}};
}

}  // namespace stoker::images
