#pragma once
#include <cmath>

#include "ops/support.h"

namespace stoker::cpu {

// Common part of the attention kernels; src/ops/attention.cpp describes the arrays.
struct AttentionProblem {
  explicit AttentionProblem(const NodeView& node)
      : count(node.in[0].shape[0]),
        queries(node.in[0].shape[1]),
        size(node.in[0].shape[2]),
        keys(node.in[1].shape[1]),
        values(node.in[2].shape[2]),
        scale(node.number("scale", 1)),
        causal(node.flag("causal")),
        masked(node.flag("masked")) {
    if (!masked) return;
    const Shape& mask = node.in.back().shape;
    per_mask = count / mask[0];
    mask_rows = mask[1];
  }
  // The mask row for query i of matrix n, or null: all keys.
  const uint8_t* mask_row(const uint8_t* mask, int64_t n, int64_t i) const {
    if (!masked) return nullptr;
    return mask + (n / per_mask * mask_rows + (mask_rows == 1 ? 0 : i)) * keys;
  }
  bool sees(const uint8_t* mask_row, int64_t i, int64_t j) const {
    return (!causal || j <= i) && (!mask_row || mask_row[j] != 0);
  }

  int64_t count, queries, size, keys, values;
  double scale;
  bool causal, masked;
  int64_t per_mask = 1, mask_rows = 1;
};

// The score of a masked key: a row in which all keys are masked still has a softmax, with equal
// weights. The log-sum-exp is negligible against it, so such a row can be recognised by it.
constexpr float hidden_score = -1e30f;

template <class T>
T weight_of(T score, T logarithm, int64_t keys) {
  return logarithm <= hidden_score / 2 ? T(1) / static_cast<T>(keys) : std::exp(score - logarithm);
}

}  // namespace stoker::cpu
