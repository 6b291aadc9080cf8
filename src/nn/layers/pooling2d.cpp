#include "stoker/layers/pooling2d.h"

#include "nn/layers/image_layer.h"

namespace stoker::layers {

template <class V>
void visit(Pooling2DArgs& a, V& v) {
  v("pool_size", a.pool_size);
  std::optional<std::array<int64_t, 2>> strides;  // Keras writes none as null
  if (a.strides[0] != 0) strides = a.strides;
  v("strides", strides);
  if (strides) a.strides = *strides;
  v("padding", a.padding);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

using Pool = Tensor (*)(const Tensor&, const ops::Pool2DArgs&);

class Pooling2DLayer : public nn::ImageLayer<Pooling2DArgs> {
 public:
  Pooling2DLayer(const char* class_name, Pool pool, const Pooling2DArgs& args,
                 std::source_location created)
      : ImageLayer(class_name, args, created), pool_(pool) {
    if (args_.strides == std::array<int64_t, 2>{0, 0}) args_.strides = args_.pool_size;
    expect_positive("pool_size", {args_.pool_size[0], args_.pool_size[1]});
    expect_positive("strides", {args_.strides[0], args_.strides[1]});
    pads_same(args_.padding);
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    expect_images(x.shape());
    const auto padding = padding_of(x.shape(), args_.pool_size, args_.strides);
    expect_fits(x.shape(), args_.pool_size, padding);
    return pool_(x, {.pool_size = args_.pool_size, .strides = args_.strides, .padding = padding});
  }

 private:
  Pool pool_;
};

const nn::RegisterLayer<Pooling2DArgs> max{"MaxPooling2D", MaxPooling2D};
const nn::RegisterLayer<Pooling2DArgs> average{"AveragePooling2D", AveragePooling2D};

}  // namespace

LayerRef MaxPooling2D(const Pooling2DArgs& args, std::source_location created) {
  return make_layer<Pooling2DLayer>("MaxPooling2D", ops::max_pool2d, args, created);
}
LayerRef AveragePooling2D(const Pooling2DArgs& args, std::source_location created) {
  return make_layer<Pooling2DLayer>("AveragePooling2D", ops::average_pool2d, args, created);
}

}  // namespace stoker::layers
