#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

struct AttentionArgs {
  double scale = 1;     // of the products of queries and keys
  bool causal = false;  // a query sees keys up to its own place
  Tensor mask = {};     // bool, spreads to (batch, heads, queries, keys): false hides a key
};
// softmax(scale * q kᵀ) v for each head: q (batch, queries, heads, size), k (batch, keys, heads,
// size), v (batch, keys, heads, value size) → (batch, queries, heads, value size). A query that
// sees no key gets the mean of all values.
Tensor dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                             const AttentionArgs& args = {});

// bool (queries, keys): a query sees the keys up to its own place.
Tensor causal_mask(int64_t queries, int64_t keys);
// bool (queries, keys): a query sees the keys less than `window` places away.
Tensor sliding_window_mask(int64_t queries, int64_t keys, int64_t window);

}  // namespace stoker::ops
