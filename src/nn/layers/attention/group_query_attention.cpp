#include <cmath>

#include "nn/layers/attention/head_attention.h"
#include "stoker/layers/attention.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(GroupQueryAttentionArgs& a, V& v) {
  v("head_dim", a.head_dim, nn::required);
  v("num_query_heads", a.num_query_heads, nn::required);
  v("num_key_value_heads", a.num_key_value_heads, nn::required);
  v("use_bias", a.use_bias);
  v("use_gate", a.use_gate);
  v("sliding_window", a.sliding_window);
  v("dropout", a.dropout);
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

class GroupQueryAttentionLayer : public nn::HeadAttention<GroupQueryAttentionArgs> {
 public:
  GroupQueryAttentionLayer(const GroupQueryAttentionArgs& args, std::source_location created)
      : HeadAttention("GroupQueryAttention", args, created) {
    expect_positive("head_dim", {args.head_dim});
    expect_positive("num_query_heads", {args.num_query_heads});
    expect_positive("num_key_value_heads", {args.num_key_value_heads});
    if (args.num_query_heads % args.num_key_value_heads != 0)
      fail(fmt::format("{} query heads cannot share {} heads of keys and values.",
                       args.num_query_heads, args.num_key_value_heads));
  }

 protected:
  bool public_projections() const override { return false; }
  void make_projections(const Shape& query, const Shape& value, const Shape& key) override {
    if (query.rank() != 3 || value.rank() != 3)
      fail(fmt::format("expects (batch, positions, features), got query {} and value {}.",
                       to_string(query), to_string(value)));
    const int64_t heads = args_.num_query_heads, shared = args_.num_key_value_heads;
    query_ = projection("query", query, 1, {heads, args_.head_dim});
    key_ = projection("key", key, 1, {shared, args_.head_dim});
    if (args_.use_gate) gate_ = projection("gate", query, 1, {heads, args_.head_dim}, "sigmoid");
    value_ = projection("value", value, 1, {shared, args_.head_dim});
    output_ = projection("attention_output", {query[0], query[1], heads, args_.head_dim}, 2,
                         {query.back()});
  }

  nn::AttentionResult compute_attention(nn::DotProductAttentionArgs a) const override {
    a.scale = 1 / std::sqrt(static_cast<double>(args_.head_dim));
    a.key = repeated(a.key);
    a.value = repeated(a.value);
    return nn::dot_product_attention(a);
  }

 private:
  // Repeats each shared head for every query head that uses it.
  Tensor repeated(const Tensor& x) const {
    const Shape& s = x.shape();
    const int64_t times = args_.num_query_heads / args_.num_key_value_heads;
    const Tensor spread =
        ops::broadcast_to(ops::expand_dims(x, 3), {s[0], s[1], s[2], times, s[3]});
    return ops::reshape(spread, {s[0], s[1], s[2] * times, s[3]});
  }
};

const nn::RegisterLayer<GroupQueryAttentionArgs> registered{"GroupQueryAttention",
                                                            GroupQueryAttention};

}  // namespace

LayerRef GroupQueryAttention(const GroupQueryAttentionArgs& args, std::source_location created) {
  return make_layer<GroupQueryAttentionLayer>(args, created);
}

}  // namespace stoker::layers
