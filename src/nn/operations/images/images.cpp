#include "nn/layers/image/color_space.h"
#include "nn/layers/image/image_resize.h"
#include "nn/layers/image/perspective.h"
#include "nn/operations/axis_helpers.h"
#include "nn/operations/images/on_images.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

// Operations of keras.ops.image that change colours or resample.
namespace stoker::nn {

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

namespace {

using Results = std::vector<Tensor>;

Results grayscale(const FormatArgs& a, const OperationCall& call) {
  return on_images(a, call,
                   [](const Tensor& x) { return ops::cast(rgb_to_grayscale(x), x.dtype()); });
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

}  // namespace
}  // namespace stoker::nn
