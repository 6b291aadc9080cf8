#include "nn/layers/image/image_resize.h"
#include "nn/layers/image/image_sampling.h"
#include "nn/layers/image/random_image_layer.h"
#include "stoker/layers/image.h"

namespace stoker::layers {

template <class V>
void visit(RandomFlipArgs& a, V& v) {
  v("seed", a.seed);
  v("mode", a.mode);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}
template <class V>
void visit(RandomCropArgs& a, V& v) {
  v("height", a.height, nn::required);
  v("width", a.width, nn::required);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

class RandomFlipLayer : public nn::RandomImageLayer<RandomFlipArgs> {
 public:
  RandomFlipLayer(const RandomFlipArgs& args, std::source_location created)
      : RandomImageLayer("RandomFlip", args, created) {
    across_ = args.mode == "horizontal" || args.mode == "horizontal_and_vertical";
    down_ = args.mode == "vertical" || args.mode == "horizontal_and_vertical";
    if (!across_ && !down_)
      fail(fmt::format("mode must be horizontal, vertical or horizontal_and_vertical, got \"{}\".",
                       args.mode));
  }

 private:
  // As in Keras, one random number decides for both directions.
  Tensor transform(const Tensor& images, nn::Draws& random) override {
    const Tensor flips =
        ops::less_equal(random.uniform(per_image(images)), Tensor(Array::scalar(0.5F)));
    const auto flipped = [&](const Tensor& numbers, int64_t size, bool flip) {
      return flip ? ops::where(flips, static_cast<double>(size - 1) - numbers, numbers) : numbers;
    };
    const int64_t height = images.shape()[1], width = images.shape()[2];
    return nn::read_pixels(images, flipped(nn::row_numbers(height), height, down_),
                           flipped(nn::column_numbers(width), width, across_));
  }
  bool across_, down_;
};

class RandomCropLayer : public nn::RandomImageLayer<RandomCropArgs> {
 public:
  RandomCropLayer(const RandomCropArgs& args, std::source_location created)
      : RandomImageLayer("RandomCrop", args, created) {
    expect_positive("height and width", {args.height, args.width});
  }

 private:
  Tensor transform(const Tensor& images, nn::Draws& random) override {
    const int64_t rows = images.shape()[1] - args_.height,
                  columns = images.shape()[2] - args_.width;
    if (rows <= 0 || columns <= 0) return small(images);
    const auto start = [&](int64_t most) {
      return ops::floor(random.uniform_for_all({1, 1, 1}, 0, static_cast<double>(most + 1)));
    };
    const Tensor top = start(rows), left = start(columns);
    return nn::read_pixels(images, nn::row_numbers(args_.height) + top,
                           nn::column_numbers(args_.width) + left);
  }

  // The centred part of the image with the window's aspect ratio, resized.
  Tensor small(const Tensor& images) const {
    const nn::ImageSize size{args_.height, args_.width};
    const Shape& shape = images.shape();
    const Shape part = nn::crop_to_proportions(images, size).shape();
    const int64_t top = (shape[1] - part[1]) / 2, left = (shape[2] - part[2]) / 2;
    const Tensor cut = ops::slice(images, {0, top, left, 0},
                                  {shape[0], std::min(size.height, shape[1] - top),
                                   std::min(size.width, shape[2] - left), shape[3]});
    if (cut.shape()[1] == size.height && cut.shape()[2] == size.width) return cut;
    return nn::resize_images(cut, size, "bilinear");
  }
};

const nn::RegisterLayer<RandomFlipArgs> flip{"RandomFlip", RandomFlip};
const nn::RegisterLayer<RandomCropArgs> crop{"RandomCrop", RandomCrop};

}  // namespace

LayerRef RandomFlip(const RandomFlipArgs& args, std::source_location created) {
  return make_layer<RandomFlipLayer>(args, created);
}
LayerRef RandomCrop(const RandomCropArgs& args, std::source_location created) {
  return make_layer<RandomCropLayer>(args, created);
}

}  // namespace stoker::layers
