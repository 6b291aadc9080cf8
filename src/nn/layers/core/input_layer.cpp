#include "stoker/layers/input_layer.h"

#include "nn/config/wide_dtype.h"
#include "nn/layers/args_layer.h"
#include "stoker/ops/elementwise.h"

namespace stoker::layers {

template <class V>
void visit(InputLayerArgs& a, V& v) {
  v("batch_shape", a.batch_shape);
  v("dtype", a.dtype);
  v.fixed("sparse", false);
  v.fixed("ragged", false);
  v("name", a.name);
  v.fixed("optional", false);
}

namespace {

class InputLayerLayer : public nn::ArgsLayer<InputLayerArgs> {
 public:
  InputLayerLayer(const InputLayerArgs& args, std::source_location created)
      : ArgsLayer("InputLayer", args, created) {
    autocast = false;
    if (args_.batch_shape.rank() == 0) args_.batch_shape = args.shape.with_front(unknown);
    args_.name = name();
    input_shape = args_.batch_shape.drop_front();
  }
  Config get_config() const override { return nn::write_args(args_); }
  Tensor call(const Tensor& x, const CallArgs&) override {
    return ops::cast(x, args_.dtype.dtype());
  }
};

// Keras 2 has batch_input_shape; `shape` without the batch is accepted, too.
LayerRef from_config(const Config& config) {
  Config modern = Config::map();
  for (const auto& [key, value] : config.as_map()) {
    const bool batch = key == "batch_input_shape" || key == "batch_shape";
    if (batch && !value.is_null()) modern["batch_shape"] = value;
    if (key == "shape" && !value.is_null()) {
      Config::List shape(1);
      for (const Config& dim : value.as_list()) shape.push_back(dim);
      modern["batch_shape"] = shape;
    }
    if (!batch && key != "shape" && key != "trainable") modern[key] = value;
    if (key == "dtype" && value.is_string()) modern[key] = nn::wide_dtype(value.as_string());
  }
  return InputLayer(nn::read_args<InputLayerArgs>(modern, "InputLayer"), std::source_location{});
}

const nn::Registrar<LayerRef> registered{"InputLayer", from_config};

}  // namespace

LayerRef InputLayer(const InputLayerArgs& args, std::source_location created) {
  return make_layer<InputLayerLayer>(args, created);
}

}  // namespace stoker::layers
