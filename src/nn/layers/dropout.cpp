#include "stoker/layers/dropout.h"

#include "graph/emit.h"
#include "nn/layers/args_layer.h"
#include "nn/random_seed.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/random.h"
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

class DropoutLayer : public nn::ArgsLayer<DropoutArgs> {
 public:
  DropoutLayer(const DropoutArgs& args, std::source_location created)
      : ArgsLayer("Dropout", args, created) {
    if (!(args.rate >= 0 && args.rate <= 1))
      fail(fmt::format("rate must be between 0 and 1, got {}.", args.rate));
    supports_masking = true;
  }

  void build(const Shape&) override {
    seed_ = args_.seed ? static_cast<uint64_t>(*args_.seed) : nn::next_seed();
    calls_ = add_state("calls", Array::scalar(int64_t{0}));
  }

  Tensor call(const Tensor& x, const CallArgs& args) override {
    if (!args.training || args_.rate == 0) return x;
    if (args_.rate == 1) return ops::zeros_like(x);
    const Tensor calls = calls_;
    const Tensor kept =
        ops::greater_equal(ops::random_uniform(noise_shape(x.shape()), seed_, calls), args_.rate);
    calls_.assign(calls + 1.0);
    return ops::where(kept, x * (1 / (1 - args_.rate)), graph::scalar_like(x, 0));
  }

 private:
  Shape noise_shape(const Shape& input) const {
    if (!args_.noise_shape) return input;
    Shape noise = *args_.noise_shape;
    bool fits = noise.rank() == input.rank();
    for (int i = 0; fits && i < noise.rank(); ++i) {
      if (noise[i] == unknown) noise[i] = input[i];
      fits = noise[i] == 1 || noise[i] == input[i];
    }
    if (!fits)
      fail(fmt::format("noise_shape {} cannot be spread over input {}.",
                       to_string(*args_.noise_shape), to_string(input)));
    return noise;
  }

  uint64_t seed_ = 0;
  Variable calls_;
};

const nn::RegisterLayer<DropoutArgs> registered{"Dropout", Dropout};

}  // namespace

LayerRef Dropout(const DropoutArgs& args, std::source_location created) {
  return make_layer<DropoutLayer>(args, created);
}

}  // namespace stoker::layers
