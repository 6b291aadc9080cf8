#include "nn/operations/images/on_images.h"

// Cropping and padding of images.
namespace stoker::nn {

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

namespace {

using Results = std::vector<Tensor>;

// Before and after; missing ones follow from the target size.
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
        fmt::format("borders of {} and {} pixels are invalid.", ends.before, ends.after));
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

const RegisterOperation<PadImagesArgs> pads{"image", "PadImages", pad_images};
const RegisterOperation<CropImagesArgs> crops{"image", "CropImages", crop_images};

}  // namespace
}  // namespace stoker::nn
