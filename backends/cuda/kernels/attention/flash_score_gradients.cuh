#pragma once
#include "attention/flash.cuh"

// `delta` contains for each query its log-sum-exp, to base 2, and the mean of the gradients of its
// weights: these convert scores to weights, and gradients of weights to gradients of scores (not
// yet scaled).
// Does a score count? If all keys of a row are masked its weights are equal and do not depend on
// its scores.
__device__ __forceinline__ bool counts(const Arguments& x, int64_t n, int query, int key) {
  return query < int(x.queries) && key < int(x.keys) &&
         ((!CAUSAL && !MASKED) || sees(x, n, query, key));
}
__device__ __forceinline__ float weight_at(const Arguments& x, float score, float log) {
  return MASKED && log <= HIDDEN / 2 ? 1 / float(x.keys) : power_of_2(fmaf(score, FACTOR, -log));
}
__device__ __forceinline__ float score_gradient_at(const Arguments& x, int64_t n, int query,
                                                   int key, float weight, float of_weight,
                                                   float mean) {
  return MASKED && !counts(x, n, query, key) ? 0.0f : weight * (of_weight - mean);
}
