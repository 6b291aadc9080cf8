#include "stoker/layers/embedding.h"

#include "nn/layers/args_layer.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"

namespace stoker::layers {

template <class V>
void visit(EmbeddingArgs& a, V& v) {
  v("input_dim", a.input_dim, nn::required);
  v("output_dim", a.output_dim, nn::required);
  v("embeddings_initializer", a.embeddings_initializer);
  v("embeddings_regularizer", a.embeddings_regularizer);
  v("activity_regularizer", a.activity_regularizer);
  v("embeddings_constraint", a.embeddings_constraint);
  v("mask_zero", a.mask_zero);
  v.fixed("quantization_config", Config());
  v.accept_and_ignore("input_length");  // of Keras 2
  nn::visit_layer(a, v);
}

namespace {

class EmbeddingLayer : public nn::ArgsLayer<EmbeddingArgs> {
 public:
  EmbeddingLayer(const EmbeddingArgs& args, std::source_location created)
      : ArgsLayer("Embedding", args, created) {
    expect_positive("input_dim", {args.input_dim});
    expect_positive("output_dim", {args.output_dim});
    supports_masking = args.mask_zero;
    autocast = false;  // rows are cast, not the table
  }

  void build(const Shape&) override {
    table_ = add_weight("embeddings", {.shape = {args_.input_dim, args_.output_dim},
                                       .initializer = args_.embeddings_initializer,
                                       .regularizer = args_.embeddings_regularizer,
                                       .constraint = args_.embeddings_constraint});
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    return ops::cast(ops::gather(table_, indices(x)), compute_dtype());
  }

  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>&) override {
    const Tensor found = indices(inputs[0]);
    return {ops::logical_not(ops::equal(found, 0))};
  }

 private:
  static Tensor indices(const Tensor& x) {
    return is_integer(x.dtype()) ? x : ops::cast(x, DType::int32);
  }
  Variable table_;
};

const nn::RegisterLayer<EmbeddingArgs> registered{"Embedding", Embedding};

}  // namespace

LayerRef Embedding(const EmbeddingArgs& args, std::source_location created) {
  return make_layer<EmbeddingLayer>(args, created);
}

}  // namespace stoker::layers
