#pragma once
#include "gemm/arguments.cuh"

template <int V>
struct Rest {
  Pack<Out, V> bias, mask;
};
template <int V>
__device__ __forceinline__ Rest<V> rest_of(const Arguments& x, int64_t row, int64_t column) {
  Rest<V> rest;
  if (BIAS) rest.bias = pack_at<V>(x.bias + column);
  if (MASK) rest.mask = pack_at<V>(x.mask + row * x.columns + column);
  return rest;
}
template <int V>
__device__ __forceinline__ void finish(const Arguments& x, const Rest<V>& rest,
                                       const Acc (&values)[V], int64_t row, int64_t column) {
  Pack<Out, V> result;
#pragma unroll
  for (int i = 0; i < V; ++i) {
    Acc value = values[i];
    if (BIAS) value += load(rest.bias.at[i]);
    if (RELU) value = value < 0 ? Acc(0) : value;  // keeps NaN
    if (MASK) value = load(rest.mask.at[i]) > 0 ? value : Acc(0);
    result.at[i] = store<Out>(value);
  }
  *(Pack<Out, V>*)(x.out + row * x.columns + column) = result;
}
