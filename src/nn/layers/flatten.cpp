#include "nn/layers/args_layer.h"
#include "stoker/layers/reshaping.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(FlattenArgs& a, V& v) {
  nn::visit_layer(a, v);
}

namespace {

class FlattenLayer : public nn::ArgsLayer<FlattenArgs> {
 public:
  FlattenLayer(const FlattenArgs& args, std::source_location created)
      : ArgsLayer("Flatten", args, created) {}

  void build(const Shape& input) override {
    if (input.rank() < 1) fail("expects input (batch, …), got a scalar.");
  }
  Tensor call(const Tensor& x, const CallArgs&) override {
    return ops::reshape(x, {x.shape()[0], x.shape().drop_front().size()});
  }
};

const nn::RegisterLayer<FlattenArgs> registered{"Flatten", Flatten};

}  // namespace

LayerRef Flatten(const FlattenArgs& args, std::source_location created) {
  return make_layer<FlattenLayer>(args, created);
}

}  // namespace stoker::layers
