#include "stoker/layers/application_layers.h"

#include "nn/layers/args_layer.h"
#include "stoker/initializers.h"

namespace stoker::layers {

template <class V>
void visit(LayerScaleArgs& a, V& v) {
  v("init_values", a.init_values, nn::required);
  v("projection_dim", a.projection_dim, nn::required);
  nn::visit_layer(a, v);
}
template <class V>
void visit(CustomScaleLayerArgs& a, V& v) {
  v("scale", a.scale, nn::required);
  nn::visit_layer(a, v);
}

namespace {

class LayerScaleLayer : public nn::ArgsLayer<LayerScaleArgs> {
 public:
  LayerScaleLayer(const LayerScaleArgs& args, std::source_location created)
      : ArgsLayer("LayerScale", args, created) {
    expect_positive("projection_dim", {args.projection_dim});
  }

  void build(const Shape& input) override {
    if (input.rank() == 0 || input.back() != args_.projection_dim)
      fail(fmt::format("expects last dim {}, got input {}.", args_.projection_dim,
                       to_string(input)));
    gamma_ =
        add_weight("gamma", {.shape = {args_.projection_dim},
                             .initializer = initializers::Constant({.value = args_.init_values})});
  }
  Tensor call(const Tensor& x, const CallArgs&) override { return x * gamma_; }

 private:
  Variable gamma_;
};

class CustomScale : public nn::ArgsLayer<CustomScaleLayerArgs> {
 public:
  CustomScale(const CustomScaleLayerArgs& args, std::source_location created)
      : ArgsLayer("CustomScaleLayer", args, created) {}

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs&) override {
    if (inputs.size() != 2) fail(fmt::format("takes two inputs, got {}.", inputs.size()));
    return {inputs[0] + inputs[1] * args_.scale};
  }
};

const nn::RegisterLayer<LayerScaleArgs> layer_scale{"LayerScale", LayerScale};
const nn::RegisterLayer<CustomScaleLayerArgs> custom_scale{"CustomScaleLayer", CustomScaleLayer};

}  // namespace

LayerRef LayerScale(const LayerScaleArgs& args, std::source_location created) {
  return make_layer<LayerScaleLayer>(args, created);
}
LayerRef CustomScaleLayer(const CustomScaleLayerArgs& args, std::source_location created) {
  return make_layer<CustomScale>(args, created);
}

}  // namespace stoker::layers
