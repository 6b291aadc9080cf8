#include "stoker/layers/input_layer.h"

#include "nn/layers/args_layer.h"
#include "stoker/ops/elementwise.h"

namespace stoker::layers {

template <class V>
void visit(InputLayerArgs& a, V& v) {
  // A model of scalars has the shape (), so an absent one must stay apart from an empty one.
  std::optional<Shape> shape, batch_shape;
  if (a.batch_shape.rank() > 0)
    batch_shape = a.batch_shape;
  else
    shape = a.shape;
  v("batch_shape", batch_shape);
  v("shape", shape);
  a.batch_shape = batch_shape.value_or(Shape{});
  a.shape = shape.value_or(Shape{});
  v("dtype", a.dtype);
  v("name", a.name);
}

namespace {

class InputLayerLayer : public nn::ArgsLayer<InputLayerArgs> {
 public:
  InputLayerLayer(const InputLayerArgs& args, std::source_location created)
      : ArgsLayer("InputLayer", args, created) {
    autocast = false;
    input_shape = args.batch_shape.rank() > 0 ? args.batch_shape.drop_front() : args.shape;
  }
  Tensor call(const Tensor& x, const CallArgs&) override { return ops::cast(x, args_.dtype); }
};

const nn::RegisterLayer<InputLayerArgs> registered{"InputLayer", InputLayer};

}  // namespace

LayerRef InputLayer(const InputLayerArgs& args, std::source_location created) {
  return make_layer<InputLayerLayer>(args, created);
}

}  // namespace stoker::layers
