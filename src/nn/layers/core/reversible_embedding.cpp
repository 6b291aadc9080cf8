#include "nn/layers/core/embedding_layer.h"
#include "stoker/layers/embedding.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(ReversibleEmbeddingArgs& a, V& v) {
  nn::visit_embedding(a, v);
  v("tie_weights", a.tie_weights);
  v("reverse_dtype", a.reverse_dtype);
  v("logit_soft_cap", a.logit_soft_cap);
}

namespace {

class ReversibleEmbeddingLayer : public nn::EmbeddingLayer<ReversibleEmbeddingArgs> {
 public:
  ReversibleEmbeddingLayer(const ReversibleEmbeddingArgs& args, std::source_location created)
      : EmbeddingLayer("ReversibleEmbedding", args, created) {}

  void build(const Shape& input) override {
    EmbeddingLayer::build(input);
    if (!args_.tie_weights)
      reverse_ = add_weight("reverse_embeddings", {.shape = {args_.output_dim, args_.input_dim},
                                                   .initializer = args_.embeddings_initializer});
  }

  Tensor call(const Tensor& x, const CallArgs& args) override {
    if (args.flag("reverse", false)) return backwards(x);
    const Tensor rows = EmbeddingLayer::call(x, args);
    if (args_.mask_zero) rows.set_mask(EmbeddingLayer::compute_mask({x}, {})[0]);
    return rows;
  }

  // The reverse direction has no mask.
  std::vector<Tensor> compute_mask(const std::vector<Tensor>&,
                                   const std::vector<Tensor>&) override {
    return {};
  }
  CallSignature call_signature() const override { return {{"inputs"}, {"reverse"}}; }

 private:
  Tensor backwards(const Tensor& given) const {
    if (given.shape().rank() == 0 || given.shape().back() != args_.output_dim)
      fail(fmt::format("expects {} features in the reverse direction, got {}.", args_.output_dim,
                       to_string(given.shape())));
    // As in Keras: the weights in the compute dtype, the product in the wider dtype of the two.
    const Tensor weights = ops::cast(args_.tie_weights ? table_ : reverse_, compute_dtype());
    const bool wider = size_of(given.dtype()) > size_of(weights.dtype());
    const DType dtype = args_.reverse_dtype.value_or(wider ? given.dtype() : weights.dtype());
    const Tensor x = ops::cast(ops::reshape(given, {-1, args_.output_dim}), dtype);
    Shape shape = given.shape();
    shape[-1] = args_.input_dim;
    const Tensor logits = ops::reshape(
        ops::matmul(x, ops::cast(weights, dtype), {.transpose_b = args_.tie_weights}), shape);
    if (!args_.logit_soft_cap) return logits;
    return ops::tanh(logits / *args_.logit_soft_cap) * *args_.logit_soft_cap;
  }
  Variable reverse_;
};

const nn::RegisterLayer<ReversibleEmbeddingArgs> registered{"ReversibleEmbedding",
                                                            ReversibleEmbedding};

}  // namespace

LayerRef ReversibleEmbedding(const ReversibleEmbeddingArgs& args, std::source_location created) {
  return make_layer<ReversibleEmbeddingLayer>(args, created);
}

}  // namespace stoker::layers
