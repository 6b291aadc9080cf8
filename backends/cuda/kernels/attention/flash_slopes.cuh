#pragma once
#include "attention/flash.cuh"

// `slopes` has for each query the logarithm of its sum, to base 2, and the mean of the gradients of
// its weights: what turns scores into weights, and gradients of weights into those of scores (not
// yet scaled).
// Whether a score counts. A row that sees nothing has equal weights, of which none depends on its
// score.
__device__ __forceinline__ bool counts(const Arguments& x, int64_t n, int query, int key) {
  return query < int(x.queries) && key < int(x.keys) &&
         ((!CAUSAL && !MASKED) || sees(x, n, query, key));
}
__device__ __forceinline__ float weight_at(const Arguments& x, float score, float log) {
  return MASKED && log <= HIDDEN / 2 ? 1 / float(x.keys) : power_of_2(fmaf(score, FACTOR, -log));
}
__device__ __forceinline__ float slope_at(const Arguments& x, int64_t n, int query, int key,
                                          float weight, float of_weight, float mean) {
  return MASKED && !counts(x, n, query, key) ? 0.0f : weight * (of_weight - mean);
}
