#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

struct AttentionArgs {
  double scale = 1;     // of the products of queries and keys
  bool causal = false;  // a query attends to keys up to its own position
  Tensor mask = {};     // bool, broadcast to (batch, heads, queries, keys): false masks a key
};
// softmax(scale * q kᵀ) v for each head: q (batch, queries, heads, size), k (batch, keys, heads,
// size), v (batch, keys, heads, value size) → (batch, queries, heads, value size). If all keys of a
// query are masked, the result is the mean of all values.
Tensor dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                             const AttentionArgs& args = {});

// bool (queries, keys): a query attends to keys up to its own position.
Tensor causal_mask(int64_t queries, int64_t keys);
// bool (queries, keys): a query attends to keys less than `window` positions away.
Tensor sliding_window_mask(int64_t queries, int64_t keys, int64_t window);

}  // namespace stoker::ops
