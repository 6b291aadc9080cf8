#pragma once
#include "nn/layers/args_layer.h"
#include "nn/training/inputs/input_uses.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"

namespace stoker::nn {

// Arguments of all embedding layers.
template <class Args, class V>
void visit_embedding(Args& a, V& v) {
  v("input_dim", a.input_dim, required);
  v("output_dim", a.output_dim, required);
  v("embeddings_initializer", a.embeddings_initializer);
  v("embeddings_regularizer", a.embeddings_regularizer);
  v("activity_regularizer", a.activity_regularizer);
  v("embeddings_constraint", a.embeddings_constraint);
  v("mask_zero", a.mask_zero);
  v.fixed("quantization_config", Config());
  visit_layer(a, v);
}

// Looks up a row of a table for each index.
template <class Args>
class EmbeddingLayer : public ArgsLayer<Args> {
 public:
  EmbeddingLayer(const char* class_name, const Args& args, std::source_location created)
      : ArgsLayer<Args>(class_name, args, created) {
    this->expect_positive("input_dim", {args.input_dim});
    this->expect_positive("output_dim", {args.output_dim});
    this->supports_masking = args.mask_zero;
    this->autocast = false;  // the gathered rows are cast, not the table
  }

  void build(const Shape&) override {
    const Args& a = this->args_;
    table_ = this->add_weight("embeddings", {.shape = {a.input_dim, a.output_dim},
                                             .initializer = a.embeddings_initializer,
                                             .regularizer = a.embeddings_regularizer,
                                             .constraint = a.embeddings_constraint});
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    const Tensor ids = indices(x);
    InputUses::report_ids(ids, this->args_.input_dim, this->name());
    return ops::cast(ops::gather(table_, ids, ops::Missing::nan), this->compute_dtype());
  }

  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>&) override {
    return {ops::logical_not(ops::equal(indices(inputs[0]), 0))};
  }

 protected:
  Variable table_;

 private:
  static Tensor indices(const Tensor& x) {
    return is_integer(x.dtype()) ? x : ops::cast(x, DType::int32);
  }
};

}  // namespace stoker::nn
