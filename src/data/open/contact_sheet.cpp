#include "stoker/contact_sheet.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/atomic_file.h"
#include "io/images/codecs/png_writer.h"
#include "stoker/image.h"

namespace stoker {
namespace {

bool has_channels(int64_t channels) { return channels == 1 || channels == 3 || channels == 4; }

// Values outside 0 to 255, or all within 0 to 1, are rescaled.
Array as_bytes(const Array& image) {
  const Array numbers = image.astype(DType::float32);
  const auto values = numbers.data<float>();
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const bool stretches = *least < 0 || *most > 255 || *most <= 1;
  const float offset = stretches ? *least : 0, range = stretches ? *most - *least : 255;
  Array bytes(DType::uint8, image.shape());
  auto out = bytes.mutable_data<uint8_t>();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<uint8_t>(range > 0 ? (values[i] - offset) / range * 255 + 0.5f : 0);
  return bytes;
}

// A sample scaled to a tile, keeping its aspect ratio.
Array tile_of(const Array& given, int64_t tile) {
  Array image = given.dtype() == DType::uint8 ? given : as_bytes(given);
  if (image.shape().rank() == 2) image = image.reshape({image.shape()[0], image.shape()[1], 1});
  const int64_t height = image.shape()[0], width = image.shape()[1],
                longest = std::max(height, width);
  const auto scaled = [&](int64_t side) { return std::max<int64_t>(1, side * tile / longest); };
  const image::ResizeArgs method{.method = longest < tile ? "nearest" : "area"};
  const Array resized = image::resize(image, scaled(height), scaled(width), method);
  return resized.dtype() == DType::uint8 ? resized : as_bytes(resized);
}

void put(const Array& tile, Array& sheet, int64_t top, int64_t left) {
  const auto from = tile.data<uint8_t>();
  auto to = sheet.mutable_data<uint8_t>();
  const int64_t width = tile.shape()[1], channels = tile.shape()[2], across = sheet.shape()[1];
  for (int64_t y = 0; y < tile.shape()[0]; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < 3; ++c)
        to[static_cast<size_t>(((top + y) * across + left + x) * 3 + c)] =
            from[static_cast<size_t>((y * width + x) * channels + std::min(c, channels - 1))];
}

}  // namespace

bool can_be_shown(const TensorSpec& spec) {
  const Shape& shape = spec.shape;
  if (spec.text || shape.rank() < 2 || shape.rank() > 3 || shape[0] == 0 || shape[1] == 0)
    return false;
  return shape.rank() == 3 ? has_channels(shape[2]) : shape[0] > 1 && shape[1] > 1;
}

Array contact_sheet(const Dataset& samples, const ContactSheetArgs& args) {
  const TensorSpec spec = samples.element_spec().arrays.at(0);
  if (!can_be_shown(spec))
    throw InvalidArgument(fmt::format("samples of {} are not images.", to_string(spec)),
                          "a contact sheet shows arrays of shape (height, width, channels).");
  const int64_t pitch = args.tile + 4;
  std::vector<Array> tiles;
  for (const Element& sample : samples.take(args.columns * args.rows))
    tiles.push_back(tile_of(sample.arrays()[0], args.tile));
  const auto count = static_cast<int64_t>(tiles.size());
  const int64_t rows = std::max<int64_t>(1, (count + args.columns - 1) / args.columns);
  Array sheet(DType::uint8, {rows * pitch, args.columns * pitch, 3});
  std::ranges::fill(sheet.mutable_data<uint8_t>(), uint8_t{255});
  for (int64_t i = 0; i < count; ++i)
    put(tiles[static_cast<size_t>(i)], sheet, i / args.columns * pitch + 2,
        i % args.columns * pitch + 2);
  return sheet;
}

void save_png(const std::string& path, const Array& image) {
  AtomicFile file(path);
  file.write(images::encode_png(image));
  file.commit();
}

}  // namespace stoker
