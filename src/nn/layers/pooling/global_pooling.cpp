#include "stoker/layers/global_pooling.h"

#include "nn/layers/spatial_layer.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::layers {

template <size_t n, class V>
void visit(GlobalPoolingArgs<n>& a, V& v) {
  v("data_format", a.data_format);
  v("keepdims", a.keepdims);
  nn::visit_layer(a, v);
}

namespace {

using Reduce = Tensor (*)(const Tensor&, const ops::ReduceArgs&);

template <size_t n>
class GlobalPooling : public nn::SpatialLayer<GlobalPoolingArgs<n>, n> {
 public:
  GlobalPooling(const char* class_name, Reduce reduce, const GlobalPoolingArgs<n>& args,
                std::source_location created)
      : nn::SpatialLayer<GlobalPoolingArgs<n>, n>(class_name, args, created), reduce_(reduce) {
    this->supports_masking = n == 1 && reduce == ops::mean;
  }

  Tensor call(const Tensor& x, const CallArgs& args) override {
    if (this->supports_masking && args.mask().defined()) return masked_mean(x, args.mask());
    return nn::SpatialLayer<GlobalPoolingArgs<n>, n>::call(x, args);
  }
  std::vector<Tensor> compute_mask(const std::vector<Tensor>&,
                                   const std::vector<Tensor>&) override {
    return {};  // there is no time axis any more
  }

 protected:
  Tensor compute(const Tensor& x) override {
    std::vector<int64_t> space(n);
    std::iota(space.begin(), space.end(), 1);
    return reduce_(x, {.axis = space, .keepdims = this->args_.keepdims});
  }

 private:
  // The mean over unmasked time steps.
  Tensor masked_mean(const Tensor& x, const Tensor& mask) const {
    const int steps = this->channels_first() ? 2 : 1;
    const Tensor counts = ops::expand_dims(ops::cast(mask, DType::boolean), 3 - steps);
    const ops::ReduceArgs over{.axis = {steps}, .keepdims = this->args_.keepdims};
    return ops::sum(ops::where(counts, x, ops::zeros_like(x)), over) /
           ops::sum(ops::cast(counts, x.dtype()), over);
  }

  Reduce reduce_;
};

const nn::RegisterLayer<GlobalPooling1DArgs> global_max_pooling1d{"GlobalMaxPooling1D",
                                                                  GlobalMaxPooling1D};
const nn::RegisterLayer<GlobalPooling2DArgs> global_max_pooling2d{"GlobalMaxPooling2D",
                                                                  GlobalMaxPooling2D};
const nn::RegisterLayer<GlobalPooling3DArgs> global_max_pooling3d{"GlobalMaxPooling3D",
                                                                  GlobalMaxPooling3D};
const nn::RegisterLayer<GlobalPooling1DArgs> global_average_pooling1d{"GlobalAveragePooling1D",
                                                                      GlobalAveragePooling1D};
const nn::RegisterLayer<GlobalPooling2DArgs> global_average_pooling2d{"GlobalAveragePooling2D",
                                                                      GlobalAveragePooling2D};
const nn::RegisterLayer<GlobalPooling3DArgs> global_average_pooling3d{"GlobalAveragePooling3D",
                                                                      GlobalAveragePooling3D};

}  // namespace

LayerRef GlobalMaxPooling1D(const GlobalPooling1DArgs& args, std::source_location created) {
  return make_layer<GlobalPooling<1>>("GlobalMaxPooling1D", ops::max, args, created);
}
LayerRef GlobalMaxPooling2D(const GlobalPooling2DArgs& args, std::source_location created) {
  return make_layer<GlobalPooling<2>>("GlobalMaxPooling2D", ops::max, args, created);
}
LayerRef GlobalMaxPooling3D(const GlobalPooling3DArgs& args, std::source_location created) {
  return make_layer<GlobalPooling<3>>("GlobalMaxPooling3D", ops::max, args, created);
}
LayerRef GlobalAveragePooling1D(const GlobalPooling1DArgs& args, std::source_location created) {
  return make_layer<GlobalPooling<1>>("GlobalAveragePooling1D", ops::mean, args, created);
}
LayerRef GlobalAveragePooling2D(const GlobalPooling2DArgs& args, std::source_location created) {
  return make_layer<GlobalPooling<2>>("GlobalAveragePooling2D", ops::mean, args, created);
}
LayerRef GlobalAveragePooling3D(const GlobalPooling3DArgs& args, std::source_location created) {
  return make_layer<GlobalPooling<3>>("GlobalAveragePooling3D", ops::mean, args, created);
}

}  // namespace stoker::layers
