#pragma once
#include <vector>

#include "nn/layers/regularization/drawn_dropout.h"
#include "stoker/tensor.h"

namespace stoker::nn {

// softmax(scale * query keyᵀ) value for each head; all are (batch …, positions …, heads, size).
struct DotProductAttentionArgs {
  Tensor query, key, value;
  Tensor mask = {};     // bool (batch or 1, queries, keys) or with a heads axis before the last two
  bool fused = true;    // use the fused op if possible
  bool causal = false;  // only supported by the fused op
  bool scores = false;  // also return the scores
  double dropout = 0;   // of the weights
  const DrawnDropout* noise = nullptr;
  double scale = 1;
  std::vector<int64_t> axes = {1};  // the axes of positions
};
struct AttentionResult {
  Tensor output, scores;  // scores: (batch …, heads, queries …, keys …)
};
AttentionResult dot_product_attention(const DotProductAttentionArgs& args);

}  // namespace stoker::nn
