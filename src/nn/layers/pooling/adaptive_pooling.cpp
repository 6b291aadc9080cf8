#include "nn/layers/spatial_layer.h"
#include "stoker/layers/global_pooling.h"
#include "stoker/ops/spatial.h"

namespace stoker::layers {

template <size_t n, class V>
void visit(AdaptivePoolingArgs<n>& a, V& v) {
  v("output_size", a.output_size, nn::required);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

using Pool = Tensor (*)(const Tensor&, const std::vector<int64_t>&);

template <size_t n>
class AdaptivePooling : public nn::SpatialLayer<AdaptivePoolingArgs<n>, n> {
 public:
  AdaptivePooling(const char* class_name, Pool pool, const AdaptivePoolingArgs<n>& args,
                  std::source_location created)
      : nn::SpatialLayer<AdaptivePoolingArgs<n>, n>(class_name, args, created), pool_(pool) {
    this->expect_all_positive("output_size", args.output_size);
  }

 protected:
  Tensor compute(const Tensor& x) override {
    return pool_(x, nn::list<n>(this->args_.output_size));
  }

 private:
  Pool pool_;
};

const nn::RegisterLayer<AdaptivePooling1DArgs> adaptive_max_pooling1d{"AdaptiveMaxPooling1D",
                                                                      AdaptiveMaxPooling1D};
const nn::RegisterLayer<AdaptivePooling2DArgs> adaptive_max_pooling2d{"AdaptiveMaxPooling2D",
                                                                      AdaptiveMaxPooling2D};
const nn::RegisterLayer<AdaptivePooling3DArgs> adaptive_max_pooling3d{"AdaptiveMaxPooling3D",
                                                                      AdaptiveMaxPooling3D};
const nn::RegisterLayer<AdaptivePooling1DArgs> adaptive_average_pooling1d{
    "AdaptiveAveragePooling1D", AdaptiveAveragePooling1D};
const nn::RegisterLayer<AdaptivePooling2DArgs> adaptive_average_pooling2d{
    "AdaptiveAveragePooling2D", AdaptiveAveragePooling2D};
const nn::RegisterLayer<AdaptivePooling3DArgs> adaptive_average_pooling3d{
    "AdaptiveAveragePooling3D", AdaptiveAveragePooling3D};

}  // namespace

LayerRef AdaptiveMaxPooling1D(const AdaptivePooling1DArgs& args, std::source_location created) {
  return make_layer<AdaptivePooling<1>>("AdaptiveMaxPooling1D", ops::adaptive_max_pool, args,
                                        created);
}
LayerRef AdaptiveMaxPooling2D(const AdaptivePooling2DArgs& args, std::source_location created) {
  return make_layer<AdaptivePooling<2>>("AdaptiveMaxPooling2D", ops::adaptive_max_pool, args,
                                        created);
}
LayerRef AdaptiveMaxPooling3D(const AdaptivePooling3DArgs& args, std::source_location created) {
  return make_layer<AdaptivePooling<3>>("AdaptiveMaxPooling3D", ops::adaptive_max_pool, args,
                                        created);
}
LayerRef AdaptiveAveragePooling1D(const AdaptivePooling1DArgs& args, std::source_location created) {
  return make_layer<AdaptivePooling<1>>("AdaptiveAveragePooling1D", ops::adaptive_average_pool,
                                        args, created);
}
LayerRef AdaptiveAveragePooling2D(const AdaptivePooling2DArgs& args, std::source_location created) {
  return make_layer<AdaptivePooling<2>>("AdaptiveAveragePooling2D", ops::adaptive_average_pool,
                                        args, created);
}
LayerRef AdaptiveAveragePooling3D(const AdaptivePooling3DArgs& args, std::source_location created) {
  return make_layer<AdaptivePooling<3>>("AdaptiveAveragePooling3D", ops::adaptive_average_pool,
                                        args, created);
}

}  // namespace stoker::layers
