#include <algorithm>
#include <cmath>

#include "core/round_up.h"
#include "graph/emit.h"
#include "nn/functional.h"
#include "nn/layers/args_layer.h"
#include "nn/layers/image/image_format.h"
#include "nn/operations/axis_helpers.h"
#include "nn/operations/cumulative.h"
#include "stoker/layers/equalization.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"

namespace stoker::layers {

template <class V>
void visit(ContrastLimitedAdaptiveHistogramEqualizationArgs& a, V& v) {
  v("value_range", a.value_range);
  v("clip_limit", a.clip_limit);
  v("tile_grid_size", a.tile_grid_size);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

constexpr int64_t levels = 256;
constexpr double top = levels - 1;

// One axis of the images, divided into tiles.
struct Tiling {
  int64_t count, length;  // tiles, and pixels in each
  int64_t size() const { return count * length; }

  // Missing pixels of the last tile are reflected.
  std::vector<int64_t> sources(int64_t pixels) const {
    std::vector<int64_t> places;
    for (int64_t i = 0; i < size(); ++i) {
      const int64_t turn = i % (2 * pixels);
      places.push_back(turn < pixels ? turn : 2 * pixels - 1 - turn);
    }
    return places;
  }
  // A pixel's position relative to the tiles' centres, counted from one tile before the first.
  float position(int64_t pixel) const {
    const auto wide = static_cast<float>(length);
    return (static_cast<float>(pixel) - wide / 2) / wide + 1;
  }
  // The tile before a pixel, or the one after it; clamped at the edges.
  Tensor tiles(bool after) const {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < size(); ++i) {
      const auto before = static_cast<int64_t>(std::floor(position(i)));
      numbers.push_back(std::clamp<int64_t>(before + (after ? 1 : 0) - 1, 0, count - 1));
    }
    return Array::from<int64_t>(numbers, {size()});
  }
  Tensor weights() const {  // of the tile after it
    std::vector<float> shares;
    for (int64_t i = 0; i < size(); ++i) shares.push_back(position(i) - std::floor(position(i)));
    return Array::from<float>(shares, {size()});
  }
};

using Args = ContrastLimitedAdaptiveHistogramEqualizationArgs;

class ClaheLayer : public nn::ArgsLayer<Args> {
 public:
  ClaheLayer(const Args& args, std::source_location created)
      : ArgsLayer("ContrastLimitedAdaptiveHistogramEqualization", args, created),
        format_(args_.data_format, *this) {
    expect_positive("tile_grid_size", {args.tile_grid_size[0], args.tile_grid_size[1]});
    if (!args.value_range.is_list() || args.value_range.as_list().size() != 2)
      fail(fmt::format("value_range must be two numbers, got {}.", args.value_range.to_string()));
    low_ = args.value_range.as_list()[0].as_double();
    high_ = args.value_range.as_list()[1].as_double();
    if (!(low_ < high_)) fail(fmt::format("value_range is empty: [{}, {}].", low_, high_));
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    return format_.apply(x, *this, [&](const Tensor& images) {
      expect_tiles(images.shape());
      if (nn::is_trial()) return images;  // only the shape is needed
      const Tensor values = ops::cast(images, DType::float32);
      if (low_ == 0 && high_ == top) return ops::cast(equalized(values), x.dtype());
      const Tensor bytes = (values - low_) / (high_ - low_) * top;
      return ops::cast(equalized(bytes) / top * (high_ - low_) + low_, x.dtype());
    });
  }

 private:
  // Missing pixels are reflected, which limits them to the image's size.
  void expect_tiles(const Shape& images) const {
    const int64_t down = args_.tile_grid_size[0], across = args_.tile_grid_size[1];
    if (down > 2 * images[1] || across > 2 * images[2])
      fail(fmt::format("has too many tiles, {} by {}, for images of {} by {} pixels.", down, across,
                       images[1], images[2]));
  }

  // For values from 0 to 255.
  Tensor equalized(const Tensor& bytes) const {
    const int64_t height = bytes.shape()[1], width = bytes.shape()[2];
    const int64_t down = args_.tile_grid_size[0], across = args_.tile_grid_size[1];
    const Tiling rows{down, ceil_div(height, down)}, columns{across, ceil_div(width, across)};
    const Tensor whole =
        nn::picked(nn::picked(bytes, 1, rows.sources(height)), 2, columns.sources(width));
    const Tensor pixels = ops::cast(ops::clip(whole, 0, top), DType::int64);
    const Tensor y = interpolated(pixels, tables(pixels, rows, columns), rows, columns);
    return nn::part(nn::part(y, 1, 0, height), 2, 0, width);
  }

  // (batch · tile rows · tile columns · channels, levels): each tile's lookup table.
  Tensor tables(const Tensor& pixels, const Tiling& rows, const Tiling& columns) const {
    const int64_t batch = pixels.shape()[0], channels = pixels.shape()[3];
    const int64_t area = rows.length * columns.length,
                  tiles = batch * rows.count * columns.count * channels;
    const Tensor tiled = ops::transpose(
        ops::reshape(pixels,
                     {batch, rows.count, rows.length, columns.count, columns.length, channels}),
        {0, 1, 3, 5, 2, 4});
    const Tensor start = nn::count_up(tiles, DType::int64) * number(levels);
    const Tensor places =
        ops::reshape(ops::reshape(tiled, {tiles, area}) + ops::reshape(start, {tiles, 1}), {-1});
    const Tensor counts = graph::emit1("scatter_add", {ops::fill(places.shape(), 1), places},
                                       {{"rows", tiles * levels}});
    return from_sums(nn::running_sum(limited(ops::reshape(counts, {tiles, levels}), area), 1),
                     area);
  }

  // Counts above the limit are redistributed over all levels.
  Tensor limited(const Tensor& counts, int64_t area) const {
    if (!(args_.clip_limit > 0)) return counts;
    const double limit = args_.clip_limit * static_cast<double>(area) / levels;
    const Tensor clipped = ops::clip(counts, 0, limit);
    const Tensor excess = ops::sum(counts - clipped, {.axis = {-1}, .keepdims = true});
    return clipped + excess / static_cast<double>(levels);
  }
  static Tensor from_sums(const Tensor& sums, int64_t area) {
    const Tensor least = ops::min(sums, {.axis = {-1}, .keepdims = true});
    const Tensor rest = static_cast<double>(area) - least;
    const Tensor divisor = ops::where(ops::equal(rest, 0.0), ops::ones_like(rest), rest);
    return ops::clip((sums - least) * top / divisor, 0, top);
  }

  // Bilinear interpolation between the tables of the four nearest tiles.
  static Tensor interpolated(const Tensor& pixels, const Tensor& tables, const Tiling& rows,
                             const Tiling& columns) {
    const int64_t batch = pixels.shape()[0], channels = pixels.shape()[3];
    const Tensor flat = ops::reshape(tables, {-1});
    const Tensor image = ops::reshape(nn::count_up(batch, DType::int64), {batch, 1, 1, 1}),
                 channel = nn::count_up(channels, DType::int64);
    const auto looked_up = [&](bool below, bool right) {
      const Tensor row = ops::reshape(rows.tiles(below), {-1, 1, 1}),
                   column = ops::reshape(columns.tiles(right), {-1, 1});
      const Tensor tile = (image * number(rows.count) + row) * number(columns.count) + column;
      const Tensor table = tile * number(channels) + channel;
      return ops::gather(flat, table * number(levels) + pixels);
    };
    const Tensor right = ops::reshape(columns.weights(), {-1, 1}),
                 below = ops::reshape(rows.weights(), {-1, 1, 1});
    const auto line = [&](bool lower) {
      return looked_up(lower, false) * (1.0 - right) + looked_up(lower, true) * right;
    };
    return line(false) * (1.0 - below) + line(true) * below;
  }
  static Tensor number(int64_t value) { return Array::scalar(value); }

  nn::ImageFormat format_;
  double low_ = 0, high_ = top;
};

const nn::RegisterLayer<Args> registered{"ContrastLimitedAdaptiveHistogramEqualization",
                                         ContrastLimitedAdaptiveHistogramEqualization};

}  // namespace

LayerRef ContrastLimitedAdaptiveHistogramEqualization(const Args& args,
                                                      std::source_location created) {
  return make_layer<ClaheLayer>(args, created);
}

}  // namespace stoker::layers
