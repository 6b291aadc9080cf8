#include "nn/layers/args_layer.h"
#include "stoker/layers/reshaping.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(RepeatVectorArgs& a, V& v) {
  v("n", a.n, nn::required);
  nn::visit_layer(a, v);
}

namespace {

class RepeatVectorLayer : public nn::ArgsLayer<RepeatVectorArgs> {
 public:
  RepeatVectorLayer(const RepeatVectorArgs& args, std::source_location created)
      : ArgsLayer("RepeatVector", args, created) {
    expect_positive("n", {args.n});
  }

  void build(const Shape& input) override {
    if (input.rank() != 2)
      fail(fmt::format("expects input (batch, features), got {}.", to_string(input)));
  }
  Tensor call(const Tensor& x, const CallArgs&) override {
    return ops::broadcast_to(ops::expand_dims(x, 1), {x.shape()[0], args_.n, x.shape()[1]});
  }
};

const nn::RegisterLayer<RepeatVectorArgs> registered{"RepeatVector", RepeatVector};

}  // namespace

LayerRef RepeatVector(const RepeatVectorArgs& args, std::source_location created) {
  return make_layer<RepeatVectorLayer>(args, created);
}

}  // namespace stoker::layers
