#include "nn/layers/image_layer.h"
#include "stoker/layers/pooling2d.h"
#include "stoker/ops/reduce.h"

namespace stoker::layers {

template <class V>
void visit(GlobalPooling2DArgs& a, V& v) {
  v("keepdims", a.keepdims);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

using Reduce = Tensor (*)(const Tensor&, const ops::ReduceArgs&);

class GlobalPooling2DLayer : public nn::ImageLayer<GlobalPooling2DArgs> {
 public:
  GlobalPooling2DLayer(const char* class_name, Reduce reduce, const GlobalPooling2DArgs& args,
                       std::source_location created)
      : ImageLayer(class_name, args, created), reduce_(reduce) {}

  Tensor call(const Tensor& x, const CallArgs&) override {
    expect_images(x.shape());
    return reduce_(x, {.axis = {1, 2}, .keepdims = args_.keepdims});
  }

 private:
  Reduce reduce_;
};

const nn::RegisterLayer<GlobalPooling2DArgs> max{"GlobalMaxPooling2D", GlobalMaxPooling2D};
const nn::RegisterLayer<GlobalPooling2DArgs> average{"GlobalAveragePooling2D",
                                                     GlobalAveragePooling2D};

}  // namespace

LayerRef GlobalMaxPooling2D(const GlobalPooling2DArgs& args, std::source_location created) {
  return make_layer<GlobalPooling2DLayer>("GlobalMaxPooling2D", ops::max, args, created);
}
LayerRef GlobalAveragePooling2D(const GlobalPooling2DArgs& args, std::source_location created) {
  return make_layer<GlobalPooling2DLayer>("GlobalAveragePooling2D", ops::mean, args, created);
}

}  // namespace stoker::layers
