#include "stoker/layers/noise.h"

#include <cmath>

#include "graph/emit.h"
#include "nn/layers/random_layer.h"
#include "nn/layers/regularization/noise_shape.h"

namespace stoker::layers {

template <class V>
void visit(GaussianNoiseArgs& a, V& v) {
  v("stddev", a.stddev, nn::required);
  v("seed", a.seed);
  nn::visit_layer(a, v);
}
template <class V>
void visit(GaussianDropoutArgs& a, V& v) {
  v("rate", a.rate, nn::required);
  v("seed", a.seed);
  nn::visit_layer(a, v);
}
template <class V>
void visit(AlphaDropoutArgs& a, V& v) {
  v("rate", a.rate, nn::required);
  v("seed", a.seed);
  v("noise_shape", a.noise_shape);
  nn::visit_layer(a, v);
}

namespace {

class GaussianNoiseLayer : public nn::RandomLayer<GaussianNoiseArgs> {
 public:
  GaussianNoiseLayer(const GaussianNoiseArgs& args, std::source_location created)
      : RandomLayer("GaussianNoise", args, created) {
    expect_share("stddev", args.stddev);
    supports_masking = true;
  }
  Tensor call(const Tensor& x, const CallArgs& args) override {
    if (!args.training || args_.stddev == 0) return x;
    return x + ops::cast(draws().normal(x.shape()) * args_.stddev, x.dtype());
  }
};

class GaussianDropoutLayer : public nn::RandomLayer<GaussianDropoutArgs> {
 public:
  GaussianDropoutLayer(const GaussianDropoutArgs& args, std::source_location created)
      : RandomLayer("GaussianDropout", args, created) {
    expect_share("rate", args.rate);
    supports_masking = true;
  }
  Tensor call(const Tensor& x, const CallArgs& args) override {
    if (!args.training || args_.rate == 0) return x;
    const double stddev = std::sqrt(args_.rate / (1 - args_.rate));
    return x * ops::cast(draws().normal(x.shape()) * stddev + 1.0, x.dtype());
  }
};

class AlphaDropoutLayer : public nn::RandomLayer<AlphaDropoutArgs> {
 public:
  AlphaDropoutLayer(const AlphaDropoutArgs& args, std::source_location created)
      : RandomLayer("AlphaDropout", args, created) {
    expect_share("rate", args.rate);
    supports_masking = true;
  }
  Tensor call(const Tensor& x, const CallArgs& args) override {
    const double rate = args_.rate;
    if (!args.training || rate == 0) return x;
    const Tensor noise = nn::uniform_noise(draws(), args_.noise_shape, x.shape(), *this);
    const Tensor kept = ops::greater_equal(noise, rate);
    // SELU's lower limit, and the affine map that restores mean and variance.
    const double least = -1.6732632423543772 * 1.0507009873554805;
    const double a = 1 / std::sqrt((1 - rate) * (1 + rate * least * least));
    return ops::where(kept, x, graph::scalar_like(x, least)) * a + -a * least * rate;
  }
};

const nn::RegisterLayer<GaussianNoiseArgs> noise{"GaussianNoise", GaussianNoise};
const nn::RegisterLayer<GaussianDropoutArgs> dropout{"GaussianDropout", GaussianDropout};
const nn::RegisterLayer<AlphaDropoutArgs> alpha{"AlphaDropout", AlphaDropout};

}  // namespace

LayerRef GaussianNoise(const GaussianNoiseArgs& args, std::source_location created) {
  return make_layer<GaussianNoiseLayer>(args, created);
}
LayerRef GaussianDropout(const GaussianDropoutArgs& args, std::source_location created) {
  return make_layer<GaussianDropoutLayer>(args, created);
}
LayerRef AlphaDropout(const AlphaDropoutArgs& args, std::source_location created) {
  return make_layer<AlphaDropoutLayer>(args, created);
}

}  // namespace stoker::layers
