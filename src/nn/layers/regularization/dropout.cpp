#include "stoker/layers/dropout.h"

#include "graph/emit.h"
#include "nn/layers/random_layer.h"
#include "nn/layers/regularization/noise_shape.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(DropoutArgs& a, V& v) {
  v("rate", a.rate, nn::required);
  v("noise_shape", a.noise_shape);
  v("seed", a.seed);
  nn::visit_layer(a, v);
}

namespace {

class DropoutLayer : public nn::RandomLayer<DropoutArgs> {
 public:
  DropoutLayer(const DropoutArgs& args, std::source_location created)
      : RandomLayer("Dropout", args, created) {
    expect_share("rate", args.rate);
    supports_masking = true;
  }

  Tensor call(const Tensor& x, const CallArgs& args) override {
    if (!args.training || args_.rate == 0) return x;
    if (args_.rate == 1) return ops::zeros_like(x);
    const Tensor noise = nn::uniform_noise(draws(), args_.noise_shape, x.shape(), *this);
    const Tensor kept = ops::greater_equal(noise, args_.rate);
    return ops::where(kept, x * (1 / (1 - args_.rate)), graph::scalar_like(x, 0));
  }
};

const nn::RegisterLayer<DropoutArgs> registered{"Dropout", Dropout};

}  // namespace

LayerRef Dropout(const DropoutArgs& args, std::source_location created) {
  return make_layer<DropoutLayer>(args, created);
}

}  // namespace stoker::layers
