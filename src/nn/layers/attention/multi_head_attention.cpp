#include <cmath>

#include "nn/layers/args_layer.h"
#include "nn/layers/attention/head_attention.h"
#include "stoker/layers/attention.h"

namespace stoker::layers {

template <class V>
void visit(MultiHeadAttentionArgs& a, V& v) {
  v("num_heads", a.num_heads, nn::required);
  v("key_dim", a.key_dim, nn::required);
  v("value_dim", a.value_dim);
  v("dropout", a.dropout);
  v("use_bias", a.use_bias);
  v("use_gate", a.use_gate);
  v("output_shape", a.output_shape);
  v("attention_axes", a.attention_axes);
  v("sliding_window", a.sliding_window);
  v("kernel_initializer", a.kernel_initializer);
  v("bias_initializer", a.bias_initializer);
  v("kernel_regularizer", a.kernel_regularizer);
  v("bias_regularizer", a.bias_regularizer);
  v("activity_regularizer", a.activity_regularizer);
  v("kernel_constraint", a.kernel_constraint);
  v("bias_constraint", a.bias_constraint);
  v("seed", a.seed);
  v.accept_and_ignore("flash_attention");
  nn::visit_layer(a, v);
}

namespace {

class MultiHeadAttentionLayer : public nn::HeadAttention<MultiHeadAttentionArgs> {
 public:
  MultiHeadAttentionLayer(const MultiHeadAttentionArgs& args, std::source_location created)
      : HeadAttention("MultiHeadAttention", args, created) {
    expect_positive("num_heads", {args.num_heads});
    expect_positive("key_dim", {args.key_dim});
    if (!args.value_dim) args_.value_dim = args.key_dim;
    expect_positive("value_dim", {*args_.value_dim});
    activity_regularizer = {};  // Keras passes it to the projections only
  }

 protected:
  bool public_projections() const override { return true; }
  // In Keras, a mask attached to the query overrides the query_mask argument.
  bool takes_query_mask() const override { return false; }

  void make_projections(const Shape& query, const Shape& value, const Shape& key) override {
    const int64_t heads = args_.num_heads, size = args_.key_dim, out = *args_.value_dim;
    query_ = projection("query", query, 1, {heads, size});
    key_ = projection("key", key, 1, {heads, size});
    if (args_.use_gate) gate_ = projection("gate", query, 1, {heads, out}, "sigmoid");
    value_ = projection("value", value, 1, {heads, out});
    Shape joined = query;
    joined[-1] = heads;
    auto dims = joined.dims();
    dims.push_back(out);
    const Shape last = args_.output_shape ? *args_.output_shape : Shape{query.back()};
    output_ = projection("attention_output", Shape(dims), 2, last);
    settle_axes(value.rank());
  }

  nn::AttentionResult compute_attention(nn::DotProductAttentionArgs a) const override {
    a.scale = 1 / std::sqrt(static_cast<double>(args_.key_dim));
    a.axes = *args_.attention_axes;
    a.fused = a.fused && a.axes == std::vector<int64_t>{1};
    return nn::dot_product_attention(a);
  }

 private:
  // Keras writes the actual axes once the layer is built.
  void settle_axes(int rank) {
    std::vector<int64_t> axes;
    if (!args_.attention_axes)
      for (int i = 1; i < rank - 1; ++i) axes.push_back(i);
    else
      for (int64_t axis : *args_.attention_axes) axes.push_back(axis < 0 ? axis + rank : axis);
    for (int64_t axis : axes)
      if (axis < 1 || axis >= rank - 1)
        fail(fmt::format("attention_axes names axis {} of an input with {} axes.", axis, rank));
    args_.attention_axes = axes;
  }
};

const nn::RegisterLayer<MultiHeadAttentionArgs> registered{"MultiHeadAttention",
                                                           MultiHeadAttention};

}  // namespace

LayerRef MultiHeadAttention(const MultiHeadAttentionArgs& args, std::source_location created) {
  return make_layer<MultiHeadAttentionLayer>(args, created);
}

}  // namespace stoker::layers
