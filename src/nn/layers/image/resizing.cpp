#include <algorithm>

#include "nn/layers/args_layer.h"
#include "nn/layers/image/image_format.h"
#include "nn/layers/image/image_resize.h"
#include "stoker/layers/image.h"
#include "stoker/ops/elementwise.h"

namespace stoker::layers {

template <class V>
void visit(ResizingArgs& a, V& v) {
  v("height", a.height, nn::required);
  v("width", a.width, nn::required);
  v("interpolation", a.interpolation);
  v("crop_to_aspect_ratio", a.crop_to_aspect_ratio);
  v("pad_to_aspect_ratio", a.pad_to_aspect_ratio);
  v("fill_mode", a.fill_mode);
  v("fill_value", a.fill_value);
  v("antialias", a.antialias);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}
template <class V>
void visit(CropArgs& a, V& v) {
  v("height", a.height, nn::required);
  v("width", a.width, nn::required);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

class ResizingLayer : public nn::ArgsLayer<ResizingArgs> {
 public:
  ResizingLayer(const ResizingArgs& args, std::source_location created)
      : ArgsLayer("Resizing", args, created), format_(args_.data_format, *this) {
    expect_positive("height and width", {args.height, args.width});
    static const std::vector<std::string> known{"bilinear", "nearest", "bicubic", "lanczos3",
                                                "lanczos5"};
    if (std::ranges::find(known, args.interpolation) == known.end())
      fail(fmt::format("unknown interpolation \"{}\".", args.interpolation),
           did_you_mean(args.interpolation, known));
    if (args.fill_mode != "constant")
      fail(fmt::format("fill_mode must be \"constant\", got \"{}\".", args.fill_mode));
    if (args.crop_to_aspect_ratio && args.pad_to_aspect_ratio)
      fail("takes one of crop_to_aspect_ratio and pad_to_aspect_ratio, not both.");
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    return format_.apply(x, *this, [&](const Tensor& images) { return resized(images); });
  }

 private:
  Tensor resized(const Tensor& given) const {
    const nn::ImageSize size{args_.height, args_.width};
    Tensor images = given;
    if (args_.crop_to_aspect_ratio) images = nn::crop_to_proportions(images, size);
    if (args_.pad_to_aspect_ratio) images = nn::pad_to_proportions(images, size, args_.fill_value);
    return nn::resize_images(images, size, args_.interpolation, args_.antialias);
  }
  nn::ImageFormat format_;
};

class CenterCropLayer : public nn::ArgsLayer<CropArgs> {
 public:
  CenterCropLayer(const CropArgs& args, std::source_location created)
      : ArgsLayer("CenterCrop", args, created), format_(args_.data_format, *this) {
    expect_positive("height and width", {args.height, args.width});
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    return format_.apply(ops::cast(x, compute_dtype()), *this,
                         [&](const Tensor& images) { return cropped(images); });
  }

 private:
  Tensor cropped(const Tensor& images) const {
    const Shape& shape = images.shape();
    const nn::ImageSize size{args_.height, args_.width};
    if (shape[1] < size.height || shape[2] < size.width)
      return nn::resize_images(nn::crop_to_proportions(images, size), size, "bilinear");
    return ops::slice(images, {0, (shape[1] - size.height) / 2, (shape[2] - size.width) / 2, 0},
                      {shape[0], size.height, size.width, shape[3]});
  }
  nn::ImageFormat format_;
};

const nn::RegisterLayer<ResizingArgs> resizing{"Resizing", Resizing};
const nn::RegisterLayer<CropArgs> center_crop{"CenterCrop", CenterCrop};

}  // namespace

LayerRef Resizing(const ResizingArgs& args, std::source_location created) {
  return make_layer<ResizingLayer>(args, created);
}
LayerRef CenterCrop(const CropArgs& args, std::source_location created) {
  return make_layer<CenterCropLayer>(args, created);
}

}  // namespace stoker::layers
