#include "stoker/layers/up_sampling.h"

#include <algorithm>

#include "nn/layers/image/image_resize.h"
#include "nn/layers/spatial_layer.h"

namespace stoker::layers {

template <size_t n, class V>
void visit(UpSamplingArgs<n>& a, V& v) {
  if constexpr (n == 1) {
    v("size", a.size[0]);
  } else {
    v("size", a.size);
    v("data_format", a.data_format);
  }
  if constexpr (n == 2) v("interpolation", a.interpolation);
  nn::visit_layer(a, v);
}

namespace {

// Repeats each element along an axis.
Tensor repeat(const Tensor& x, int64_t times, int axis) {
  const Tensor expanded = ops::expand_dims(x, axis + 1);
  Shape spread = expanded.shape(), joined = x.shape();
  spread[axis + 1] = times;
  joined[axis] *= times;
  return ops::reshape(ops::broadcast_to(expanded, spread), joined);
}

template <size_t n>
class UpSampling : public nn::SpatialLayer<UpSamplingArgs<n>, n> {
 public:
  UpSampling(const char* class_name, const UpSamplingArgs<n>& args, std::source_location created)
      : nn::SpatialLayer<UpSamplingArgs<n>, n>(class_name, args, created) {
    this->expect_all_positive("size", args.size);
    constexpr const char* known[] = {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"};
    if (std::find(std::begin(known), std::end(known), args.interpolation) == std::end(known) ||
        (n != 2 && args.interpolation != "nearest"))
      this->fail(fmt::format("unknown interpolation \"{}\".", args.interpolation));
  }

 protected:
  Tensor compute(const Tensor& x) override {
    const auto& size = this->args_.size;
    if constexpr (n == 2) {
      if (this->args_.interpolation != "nearest")
        return nn::resize_images(x, {x.shape()[1] * size[0], x.shape()[2] * size[1]},
                                 this->args_.interpolation);
    }
    Tensor y = x;
    for (size_t i = 0; i < n; ++i) y = repeat(y, size[i], static_cast<int>(i) + 1);
    return y;
  }
};

const nn::RegisterLayer<UpSampling1DArgs> up_sampling1d{"UpSampling1D", UpSampling1D};
const nn::RegisterLayer<UpSampling2DArgs> up_sampling2d{"UpSampling2D", UpSampling2D};
const nn::RegisterLayer<UpSampling3DArgs> up_sampling3d{"UpSampling3D", UpSampling3D};

}  // namespace

LayerRef UpSampling1D(const UpSampling1DArgs& args, std::source_location created) {
  return make_layer<UpSampling<1>>("UpSampling1D", args, created);
}
LayerRef UpSampling2D(const UpSampling2DArgs& args, std::source_location created) {
  return make_layer<UpSampling<2>>("UpSampling2D", args, created);
}
LayerRef UpSampling3D(const UpSampling3DArgs& args, std::source_location created) {
  return make_layer<UpSampling<3>>("UpSampling3D", args, created);
}

}  // namespace stoker::layers
