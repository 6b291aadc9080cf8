#pragma once
#include "stoker/layer.h"

namespace stoker::nn {

// Combines all masks of an attention layer into one bool mask (batch or 1, queries, keys), or
// undefined.
struct AttentionMask {
  Tensor query, value, key, given;  // masks of the inputs, and the attention_mask argument
  bool causal = false;
  std::optional<int64_t> sliding_window = {};
};
Tensor merged(const AttentionMask& mask, int64_t queries, int64_t keys);

}  // namespace stoker::nn
