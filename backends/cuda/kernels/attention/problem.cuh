// Types, arguments, and which keys a query attends to.
#pragma once
#include "prelude.cuh"

typedef Compute<In>::type Acc;
struct Arguments {
  const In *q, *k, *v;
  const uint8_t* mask;
  In* out;
  Acc* logs;
  const In* of_out;
  In *of_q, *of_k, *of_v;
  Acc* delta;
  int64_t count, queries, keys, per_mask, mask_rows;
};
// The score of a masked key: a row in which all keys are masked still has a softmax, with equal
// weights.
constexpr float HIDDEN = -1e30f;
__device__ __forceinline__ bool sees(const Arguments& x, int64_t n, int64_t query, int64_t key) {
  if (CAUSAL && key > query) return false;
  return !MASKED ||
         x.mask[(n / x.per_mask * x.mask_rows + (x.mask_rows == 1 ? 0 : query)) * x.keys + key] !=
             0;
}
__device__ __forceinline__ Acc weight_of(Acc score, Acc log, int64_t keys) {
  return log <= HIDDEN / 2 ? Acc(1) / Acc(keys) : exp(score - log);
}
