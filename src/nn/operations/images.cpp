#include <algorithm>

#include "nn/layers/color_space.h"
#include "nn/layers/image_resize.h"
#include "nn/layers/perspective.h"
#include "nn/operations/axes.h"
#include "nn/operations/operation.h"
#include "stoker/ops/conv.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

// Operations of keras.ops.image, on one image or on a batch of them.
namespace stoker::nn {

struct FormatArgs {
  std::optional<std::string> data_format = {};
};
template <class V>
void visit(FormatArgs& a, V& v) {
  v("data_format", a.data_format);
}

struct ResizeArgs : FormatArgs {
  std::vector<int64_t> size;
  std::string interpolation = "bilinear", fill_mode = "constant";
  bool antialias = false, crop_to_aspect_ratio = false, pad_to_aspect_ratio = false;
  double fill_value = 0;
};
template <class V>
void visit(ResizeArgs& a, V& v) {
  v("size", a.size, required);
  v("interpolation", a.interpolation);
  v("antialias", a.antialias);
  v("crop_to_aspect_ratio", a.crop_to_aspect_ratio);
  v("pad_to_aspect_ratio", a.pad_to_aspect_ratio);
  v("fill_mode", a.fill_mode);
  v("fill_value", a.fill_value);
  visit(static_cast<FormatArgs&>(a), v);
}

using MaybeSize = std::optional<int64_t>;
struct BorderArgs : FormatArgs {
  MaybeSize top = {}, left = {}, bottom = {}, right = {}, target_height = {}, target_width = {};
};
struct PadImagesArgs : BorderArgs {};
struct CropImagesArgs : BorderArgs {};
template <class V>
void visit(PadImagesArgs& a, V& v) {
  v("top_padding", a.top);
  v("left_padding", a.left);
  v("bottom_padding", a.bottom);
  v("right_padding", a.right);
  v("target_height", a.target_height);
  v("target_width", a.target_width);
  v("data_format", a.data_format);
}
template <class V>
void visit(CropImagesArgs& a, V& v) {
  v("top_cropping", a.top);
  v("left_cropping", a.left);
  v("bottom_cropping", a.bottom);
  v("right_cropping", a.right);
  v("target_height", a.target_height);
  v("target_width", a.target_width);
  v("data_format", a.data_format);
}

struct PerspectiveArgs : FormatArgs {
  std::string interpolation = "bilinear";
  double fill_value = 0;
};
template <class V>
void visit(PerspectiveArgs& a, V& v) {
  v("interpolation", a.interpolation);
  v("fill_value", a.fill_value);
  visit(static_cast<FormatArgs&>(a), v);
}

struct PatchArgs : FormatArgs {
  Config size = {}, strides = {}, dilation_rate = 1;
  std::string padding = "valid";
};
template <class V>
void visit(PatchArgs& a, V& v) {
  v("size", a.size, required);
  v("strides", a.strides);
  v("dilation_rate", a.dilation_rate);
  v("padding", a.padding);
  v("data_format", a.data_format);
}

namespace {

using Results = std::vector<Tensor>;

// As (batch, height, width, channels), and back.
template <class Change>
Results on_images(const FormatArgs& a, const OperationCall& call, const Change& change) {
  Tensor x = call.tensor(0);
  const bool one = x.shape().rank() == 3, first = a.data_format.value_or("") == "channels_first";
  if (one) x = ops::expand_dims(x, 0);
  if (first) x = ops::transpose(x, {0, 2, 3, 1});
  Tensor y = change(x);
  if (first) y = ops::transpose(y, {0, 3, 1, 2});
  return {one ? ops::squeeze(y, 0) : y};
}

Results grayscale(const FormatArgs& a, const OperationCall& call) {
  return on_images(a, call, [](const Tensor& x) { return rgb_to_grayscale(x); });
}
Results to_hsv(const FormatArgs& a, const OperationCall& call) {
  return on_images(a, call, [](const Tensor& x) { return joined(rgb_to_hsv(channels_of(x))); });
}
Results to_rgb(const FormatArgs& a, const OperationCall& call) {
  return on_images(a, call, [](const Tensor& x) { return joined(hsv_to_rgb(channels_of(x))); });
}

Results resize(const ResizeArgs& a, const OperationCall& call) {
  if (a.fill_mode != "constant")
    throw Unsupported(fmt::format("fill_mode \"{}\" is not supported.", a.fill_mode));
  const ImageSize size{a.size.at(0), a.size.at(1)};
  return on_images(a, call, [&](Tensor x) {
    if (a.crop_to_aspect_ratio) x = crop_to_proportions(x, size);
    if (a.pad_to_aspect_ratio) x = pad_to_proportions(x, size, a.fill_value);
    return resize_images(x, size, a.interpolation, a.antialias);
  });
}

// Before and after; what is not given follows from the size that is wanted.
struct Ends {
  int64_t before, after;
};
Ends ends_of(const MaybeSize& before, const MaybeSize& after, const MaybeSize& wanted,
             int64_t difference) {
  const int64_t in_all = wanted ? difference : before.value_or(0) + after.value_or(0);
  const int64_t first = before ? *before : in_all - after.value_or(0);
  const Ends ends{first, after ? *after : in_all - first};
  if (ends.before < 0 || ends.after < 0)
    throw InvalidArgument(
        fmt::format("{} and {} at the ends of an image cannot be.", ends.before, ends.after));
  return ends;
}

Results pad_images(const PadImagesArgs& a, const OperationCall& call) {
  return on_images(a, call, [&](const Tensor& x) {
    const int64_t height = x.shape()[1], width = x.shape()[2];
    const Ends rows = ends_of(a.top, a.bottom, a.target_height,
                              a.target_height.value_or(height) - height),
               columns =
                   ends_of(a.left, a.right, a.target_width, a.target_width.value_or(width) - width);
    return ops::pad(x, {0, rows.before, columns.before, 0}, {0, rows.after, columns.after, 0});
  });
}

Results crop_images(const CropImagesArgs& a, const OperationCall& call) {
  return on_images(a, call, [&](const Tensor& x) {
    const int64_t height = x.shape()[1], width = x.shape()[2];
    const Ends rows = ends_of(a.top, a.bottom, a.target_height,
                              height - a.target_height.value_or(height)),
               columns =
                   ends_of(a.left, a.right, a.target_width, width - a.target_width.value_or(width));
    return ops::slice(x, {0, rows.before, columns.before, 0},
                      {x.shape()[0], height - rows.before - rows.after,
                       width - columns.before - columns.after, x.shape()[3]});
  });
}

std::vector<int64_t> pair_of(const Config& given, const std::vector<int64_t>& otherwise) {
  auto pair = given.is_null() ? otherwise : integers(given);
  if (pair.size() == 1) pair.push_back(pair[0]);
  if (pair.size() != 2) throw Unsupported("patches of volumes are not supported.");
  return pair;
}

// Every window's pixels as the channels of one pixel: the window's places one after the other.
Results extract_patches(const PatchArgs& a, const OperationCall& call) {
  const auto size = pair_of(a.size, {}), strides = pair_of(a.strides, size),
             dilation = pair_of(a.dilation_rate, {1, 1});
  return on_images(a, call, [&](Tensor x) {
    std::vector<int64_t> before(4, 0), after(4, 0), count(2, 0);
    for (size_t i = 0; i < 2; ++i) {
      const int axis = static_cast<int>(i) + 1;
      if (a.padding == "same") {
        const auto pair = ops::same_padding(x.shape()[axis], size[i], strides[i], dilation[i]);
        before[i + 1] = pair[0], after[i + 1] = pair[1];
      }
      const int64_t span = (size[i] - 1) * dilation[i] + 1;
      count[i] = (x.shape()[axis] + before[i + 1] + after[i + 1] - span) / strides[i] + 1;
    }
    x = ops::pad(x, before, after);
    const auto lines = [&](const Tensor& from, size_t i, int64_t offset) {
      std::vector<int64_t> places;
      for (int64_t n = 0; n < count[i]; ++n)
        places.push_back(n * strides[i] + offset * dilation[i]);
      return picked(from, static_cast<int>(i) + 1, places);
    };
    Results parts;
    for (int64_t row = 0; row < size[0]; ++row) {
      const Tensor rows = lines(x, 0, row);
      for (int64_t column = 0; column < size[1]; ++column) parts.push_back(lines(rows, 1, column));
    }
    return ops::concatenate(parts, -1);
  });
}

// From points (batch, 4, 2), or (4, 2) for all images.
Corners corners_from(const Tensor& points) {
  const Tensor all = points.shape().rank() == 2 ? ops::expand_dims(points, 0) : points;
  Corners corners;
  for (int64_t i = 0; i < 4; ++i) {
    const Tensor point = part(all, 1, i, 1);
    corners.x[static_cast<size_t>(i)] = part(point, 2, 0, 1);
    corners.y[static_cast<size_t>(i)] = part(point, 2, 1, 1);
  }
  return corners;
}
Results perspective(const PerspectiveArgs& a, const OperationCall& call) {
  const Corners start = corners_from(call.tensor(1)), end = corners_from(call.tensor(2));
  return on_images(a, call, [&](const Tensor& x) {
    return perspective_transform(x, start, end, {a.interpolation, "constant", a.fill_value});
  });
}

const RegisterOperation<PerspectiveArgs> perspectives{"image", "PerspectiveTransform", perspective};
const RegisterOperation<FormatArgs> grayscales{"image", "RGBToGrayscale", grayscale};
const RegisterOperation<FormatArgs> to_hsvs{"image", "RGBToHSV", to_hsv};
const RegisterOperation<FormatArgs> to_rgbs{"image", "HSVToRGB", to_rgb};
const RegisterOperation<ResizeArgs> resizes{"image", "Resize", resize};
const RegisterOperation<PadImagesArgs> pads{"image", "PadImages", pad_images};
const RegisterOperation<CropImagesArgs> crops{"image", "CropImages", crop_images};
const RegisterOperation<PatchArgs> patches{"image", "ExtractPatches", extract_patches};

}  // namespace
}  // namespace stoker::nn
