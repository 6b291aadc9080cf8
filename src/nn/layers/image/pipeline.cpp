#include "stoker/layers/pipeline.h"

#include "nn/layer_list.h"
#include "nn/layers/registration.h"

namespace stoker::layers {

template <class V>
void visit(PipelineArgs& a, V& v) {
  nn::visit_layers("layers", a.layers, v);
  v("name", a.name);
}

namespace {

class PipelineLayer : public Layer {
 public:
  PipelineLayer(const PipelineArgs& args, std::source_location created)
      : Layer("Pipeline", args.name, created), layers_(args.layers) {
    autocast = false;  // the layers cast themselves
    if (layers_.empty()) throw InvalidArgument("[pipeline] needs at least one layer.");
    for (const LayerRef& layer : layers_)
      if (!layer.ptr()) throw InvalidArgument("[pipeline] contains an empty LayerRef.");
  }

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override {
    std::vector<Tensor> values = inputs;
    for (size_t i = 0; i < values.size(); ++i)
      if (args.mask(i).defined()) values[i].set_mask(args.mask(i));
    for (const LayerRef& layer : layers_)
      values = layer->apply(values, {.training = args.training});
    return values;
  }

  // Keras's Pipeline accepts nothing else.
  Config get_config() const override { return nn::write_args(PipelineArgs{layers_, name()}); }
  std::vector<Sublayer> named_sublayers() const override {
    return nn::listed_sublayers("layers", layers_);
  }

 private:
  std::vector<LayerRef> layers_;
};

const nn::RegisterLayer<PipelineArgs> registered{"Pipeline", Pipeline};

}  // namespace

LayerRef Pipeline(const PipelineArgs& args, std::source_location created) {
  return make_layer<PipelineLayer>(args, created);
}

}  // namespace stoker::layers
