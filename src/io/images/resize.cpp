#include "io/images/resize.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/images/resize_axis.h"
#include "io/images/resize_kernels.h"

namespace stoker::images {
namespace {

void check(int64_t height, int64_t width, const RealBox& box, int from_channels, int to_channels,
           int64_t to_height, int64_t to_width) {
  const auto fits = [](double begin, double length, int64_t whole) {
    return begin >= 0 && length > 0 && begin + length <= static_cast<double>(whole) + 1e-6;
  };
  if (!fits(box.top, box.height, height) || !fits(box.left, box.width, width))
    throw InvalidArgument(fmt::format(
        "resize: rows {} to {} and columns {} to {} are not inside an image of {} x {}.", box.top,
        box.top + box.height, box.left, box.left + box.width, height, width));
  if (to_height <= 0 || to_width <= 0 || from_channels != to_channels)
    throw InvalidArgument(
        fmt::format("resize: {} x {} pixels of {} channels cannot become {} x {} of {}.", height,
                    width, from_channels, to_height, to_width, to_channels));
}

}  // namespace

Interpolation parse_interpolation(std::string_view name) {
  if (name == "nearest") return Interpolation::nearest;
  if (name == "bilinear") return Interpolation::bilinear;
  if (name == "area") return Interpolation::area;
  if (name == "bicubic") return Interpolation::bicubic;
  if (name == "lanczos3") return Interpolation::lanczos3;
  if (name == "lanczos5") return Interpolation::lanczos5;
  if (name == "gaussian") return Interpolation::gaussian;
  if (name == "mitchellcubic") return Interpolation::mitchellcubic;
  throw InvalidArgument(fmt::format("unknown interpolation \"{}\".", name),
                        "nearest, bilinear, area, bicubic, lanczos3, lanczos5, gaussian and "
                        "mitchellcubic are known.");
}

// Vertical pass first: the intermediate image then has the result's height, and fits into the
// cache.
template <class From, class To>
void resize(const Pixels<const From>& from, const RealBox& box, const ResizeOptions& options,
            const Normalization& normalization, const Pixels<To>& to, ResizeMemory& memory) {
  check(from.height, from.width, box, from.channels, to.channels, to.height, to.width);
  Axis down{memory.row_starts, memory.row_weights},
      across{memory.column_starts, memory.column_weights};
  down.plan(from.height, box.top, box.height, to.height, options);
  across.plan(from.width, box.left, box.width, to.width, options);
  const int64_t first = across.starts.front(), used = across.starts.back() + across.taps - first;
  if (options.flip_left_right) across.reverse();
  memory.row.resize(static_cast<size_t>(used * from.channels + overread));
  memory.result.resize(static_cast<size_t>(to.width * to.channels));
  std::vector<const From*> rows(static_cast<size_t>(down.taps));
  for (int64_t y = 0; y < to.height; ++y) {
    const int64_t top = down.starts[static_cast<size_t>(y)];
    for (int t = 0; t < down.taps; ++t) rows[static_cast<size_t>(t)] = from.at(top + t, first);
    weigh_rows(rows.data(), &down.weights[static_cast<size_t>(y * down.taps)], down.taps,
               used * from.channels, memory.row.data());
    if constexpr (std::is_same_v<To, float>) {
      weigh_columns(memory.row.data(), first, across, to.channels, normalization, to.row(y));
    } else {
      weigh_columns(memory.row.data(), first, across, to.channels, normalization,
                    memory.result.data());
      round_to_bytes(memory.result.data(), to.width * to.channels, to.row(y));
    }
  }
}

template void resize(const Pixels<const uint8_t>&, const RealBox&, const ResizeOptions&,
                     const Normalization&, const Pixels<uint8_t>&, ResizeMemory&);
template void resize(const Pixels<const uint8_t>&, const RealBox&, const ResizeOptions&,
                     const Normalization&, const Pixels<float>&, ResizeMemory&);
template void resize(const Pixels<const float>&, const RealBox&, const ResizeOptions&,
                     const Normalization&, const Pixels<float>&, ResizeMemory&);

Array resize(const Array& image, int64_t height, int64_t width, const ResizeOptions& options) {
  if (image.shape().rank() != 3 ||
      (image.dtype() != DType::uint8 && image.dtype() != DType::float32))
    throw InvalidArgument(
        fmt::format("resize takes an image of shape (height, width, channels) in uint8 or float32, "
                    "got {} in {}.",
                    to_string(image.shape()), name_of(image.dtype())));
  const bool bytes = image.dtype() == DType::uint8,
             keep = bytes && options.interpolation == Interpolation::nearest;
  Array result(keep ? DType::uint8 : DType::float32, {height, width, image.shape()[2]});
  const RealBox whole = real({0, 0, image.shape()[0], image.shape()[1]});
  ResizeMemory memory;
  if (keep)
    resize(pixels_of<uint8_t>(image), whole, options, {}, mutable_pixels_of<uint8_t>(result),
           memory);
  else if (bytes)
    resize(pixels_of<uint8_t>(image), whole, options, {}, mutable_pixels_of<float>(result), memory);
  else
    resize(pixels_of<float>(image), whole, options, {}, mutable_pixels_of<float>(result), memory);
  return result;
}

}  // namespace stoker::images
