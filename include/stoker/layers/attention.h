#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

// All are called with lists {query, value} or {query, value, key}. Keyword arguments: the options
// "use_causal_mask" and "return_attention_scores" (then the scores are a second output) and, for
// MultiHeadAttention and GroupQueryAttention, the tensor "attention_mask".
struct AttentionArgs {
  bool use_scale = false;
  std::string score_mode = "dot";  // or "concat"
  double dropout = 0;
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
// Luong's attention: scores are dot products of queries and keys.
LayerRef Attention(const AttentionArgs& args = {},
                   std::source_location created = std::source_location::current());

struct AdditiveAttentionArgs {
  bool use_scale = true;
  double dropout = 0;
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
// Bahdanau's attention: scores are sums of tanh(query + key).
LayerRef AdditiveAttention(const AdditiveAttentionArgs& args = {},
                           std::source_location created = std::source_location::current());

struct MultiHeadAttentionArgs {
  int64_t num_heads = 0, key_dim = 0;
  std::optional<int64_t> value_dim = {};  // default: key_dim
  double dropout = 0;
  bool use_bias = true;
  std::optional<Shape> output_shape = {};  // default: the query's last axis
  std::optional<std::vector<int64_t>> attention_axes = {};
  std::optional<int64_t> sliding_window = {};
  Initializer kernel_initializer = "glorot_uniform", bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  bool use_gate = false;
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
LayerRef MultiHeadAttention(const MultiHeadAttentionArgs& args,
                            std::source_location created = std::source_location::current());

struct GroupQueryAttentionArgs {
  int64_t head_dim = 0, num_query_heads = 0, num_key_value_heads = 0;
  double dropout = 0;
  bool use_bias = true;
  std::optional<int64_t> sliding_window = {};
  Initializer kernel_initializer = "glorot_uniform", bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  bool use_gate = false;
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
// Several query heads share a head of keys and values.
LayerRef GroupQueryAttention(const GroupQueryAttentionArgs& args,
                             std::source_location created = std::source_location::current());

}  // namespace stoker::layers
