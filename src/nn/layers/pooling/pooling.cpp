#include "stoker/layers/pooling.h"

#include "nn/layers/spatial_layer.h"
#include "stoker/ops/spatial.h"

namespace stoker::layers {

template <size_t n, class V>
void visit(PoolingArgs<n>& a, V& v) {
  v("pool_size", a.pool_size);
  v("strides", a.strides);
  v("padding", a.padding);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

using Pool = Tensor (*)(const Tensor&, const ops::PoolArgs&);

template <size_t n>
class Pooling : public nn::SpatialLayer<PoolingArgs<n>, n> {
 public:
  Pooling(const char* class_name, Pool pool, const PoolingArgs<n>& args,
          std::source_location created)
      : nn::SpatialLayer<PoolingArgs<n>, n>(class_name, args, created), pool_(pool) {
    auto& a = this->args_;
    if (!a.strides.defined()) a.strides = a.pool_size;
    this->expect_all_positive("pool_size", a.pool_size);
    this->expect_all_positive("strides", a.strides);
    this->pads_same(a.padding);
  }

 protected:
  Tensor compute(const Tensor& x) override {
    const auto& a = this->args_;
    auto padding = this->padding_of(x.shape(), a.pool_size, a.strides);
    this->expect_fits(x.shape(), a.pool_size, 1, padding);
    return pool_(x, {.pool_size = nn::list<n>(a.pool_size),
                     .strides = nn::list<n>(a.strides),
                     .padding = std::move(padding)});
  }

 private:
  Pool pool_;
};

const nn::RegisterLayer<Pooling1DArgs> max_pooling1d{"MaxPooling1D", MaxPooling1D};
const nn::RegisterLayer<Pooling2DArgs> max_pooling2d{"MaxPooling2D", MaxPooling2D};
const nn::RegisterLayer<Pooling3DArgs> max_pooling3d{"MaxPooling3D", MaxPooling3D};
const nn::RegisterLayer<Pooling1DArgs> average_pooling1d{"AveragePooling1D", AveragePooling1D};
const nn::RegisterLayer<Pooling2DArgs> average_pooling2d{"AveragePooling2D", AveragePooling2D};
const nn::RegisterLayer<Pooling3DArgs> average_pooling3d{"AveragePooling3D", AveragePooling3D};

}  // namespace

LayerRef MaxPooling1D(const Pooling1DArgs& args, std::source_location created) {
  return make_layer<Pooling<1>>("MaxPooling1D", ops::max_pool, args, created);
}
LayerRef MaxPooling2D(const Pooling2DArgs& args, std::source_location created) {
  return make_layer<Pooling<2>>("MaxPooling2D", ops::max_pool, args, created);
}
LayerRef MaxPooling3D(const Pooling3DArgs& args, std::source_location created) {
  return make_layer<Pooling<3>>("MaxPooling3D", ops::max_pool, args, created);
}
LayerRef AveragePooling1D(const Pooling1DArgs& args, std::source_location created) {
  return make_layer<Pooling<1>>("AveragePooling1D", ops::average_pool, args, created);
}
LayerRef AveragePooling2D(const Pooling2DArgs& args, std::source_location created) {
  return make_layer<Pooling<2>>("AveragePooling2D", ops::average_pool, args, created);
}
LayerRef AveragePooling3D(const Pooling3DArgs& args, std::source_location created) {
  return make_layer<Pooling<3>>("AveragePooling3D", ops::average_pool, args, created);
}

}  // namespace stoker::layers
