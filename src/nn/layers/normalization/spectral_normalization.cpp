#include "stoker/layers/spectral_normalization.h"

#include "graph/autocast.h"
#include "graph/emit.h"
#include "nn/layers/args_layer.h"
#include "nn/unit_vectors.h"
#include "stoker/initializers.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(SpectralNormalizationArgs& a, V& v) {
  v("layer", a.layer, nn::required);
  v("power_iterations", a.power_iterations);
  nn::visit_layer(a, v);
}

namespace {

Tensor unit(const Tensor& x) { return nn::unit_vectors(x, {}); }

class SpectralNormalizationLayer : public nn::ArgsLayer<SpectralNormalizationArgs> {
 public:
  SpectralNormalizationLayer(const SpectralNormalizationArgs& args, std::source_location created)
      : ArgsLayer("SpectralNormalization", args, created) {
    if (!args.layer.ptr()) fail("needs a layer.");
    expect_positive("power_iterations", {args.power_iterations});
  }

  void build(const Shape& input) override {
    {
      const graph::PathScope path(args_.layer->name());
      args_.layer->build_once({input});
    }
    for (const Variable& weight : args_.layer->own_weights())
      if (weight.name().ends_with("/kernel") || weight.name().ends_with("/embeddings"))
        kernel_ = weight;
    if (!kernel_.defined())
      fail(fmt::format("{} has neither a kernel nor embeddings.", args_.layer->class_name()));
    share_weight(kernel_);
    vector_ =
        add_weight("vector_u", {.shape = {1, kernel_.shape().back()},
                                .initializer = initializers::TruncatedNormal({.stddev = 0.02}),
                                .trainable = false,
                                .dtype = kernel_.dtype(),
                                .autocast = false});
  }

  // As in Keras, the kernel variable itself is divided by its largest singular value before the
  // layer reads it.
  Tensor call(const Tensor& x, const CallArgs& args) override {
    if (args.training) normalize();
    return ops::cast(args_.layer(x, args), x.dtype());
  }

  std::vector<Sublayer> named_sublayers() const override { return {{"layer", args_.layer}}; }

 private:
  void normalize() const {
    const graph::AutocastScope as_stored(std::nullopt);
    const Tensor kernel = kernel_;
    const Tensor matrix = ops::reshape(kernel, {-1, kernel.shape().back()});
    Tensor u = vector_, v;
    for (int64_t i = 0; i < args_.power_iterations; ++i) {
      v = unit(ops::matmul(u, matrix, {.transpose_b = true}));
      u = unit(ops::matmul(v, matrix));
    }
    const Tensor largest =
        ops::reshape(ops::matmul(ops::matmul(v, matrix), u, {.transpose_b = true}), Shape{});
    const Tensor is_zero = ops::equal(ops::max(ops::abs(kernel)), 0.0);
    vector_.assign(ops::where(is_zero, Tensor(vector_), u));
    kernel_.assign(ops::where(is_zero, kernel, kernel / largest));
  }

  Variable kernel_, vector_;
};

const nn::RegisterLayer<SpectralNormalizationArgs> registered{"SpectralNormalization",
                                                              SpectralNormalization};

}  // namespace

LayerRef SpectralNormalization(const SpectralNormalizationArgs& args,
                               std::source_location created) {
  return make_layer<SpectralNormalizationLayer>(args, created);
}

}  // namespace stoker::layers
